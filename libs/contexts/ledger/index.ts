export {
  ACCOUNT_CODES,
  accountKeyText,
  CHART_OF_ACCOUNTS,
  detailFieldsOf,
  type AccountCode,
  type AccountDetailFields,
  type AccountDivision,
  type AccountKey,
  type AccountType,
} from './accounts.js';
export {
  addDays,
  earliestInstantOfDate,
  takesEffectBefore,
  isDateMoment,
  takesEffectBy,
  latestInstantOfDate,
  type ReportMoment,
} from './report-moment.js';
export {
  reduceDeferral,
  earnedPartsAfter,
  restoreDeferral,
  type Deferral,
  type RecognitionBasis,
} from './deferral.js';
export { LedgerStopped } from './balance-check.js';
export { InMemoryLedger } from './in-memory-ledger.js';
export {
  postEvent,
  type PostingResult,
  type AllPostingRules,
  type StreamPostingState,
} from './post-event.js';
export {
  NO_POSTINGS,
  type Booking,
  type PostingContext,
  type PostingOutcome,
  type PostingRule,
  type PostingRules,
  type ScheduledBooking,
} from './posting-rule.js';
export { splitIntoEarnedParts, type EarnedPart } from './recognition.js';
export { splitProportionally } from './split-proportionally.js';
export {
  creditPosting,
  debitPosting,
  compareTransactions,
  eventReferenceOf,
  type EventReference,
  type LedgerTransaction,
  type Posting,
} from './transaction.js';
export {
  AccountBalances,
  debitAndCreditOf,
  trialBalances,
  type AccountBalance,
  type DebitAndCredit,
  type TrialBalance,
  type TrialBalanceLine,
} from './trial-balance.js';
