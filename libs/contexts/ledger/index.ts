export {
  ACCOUNT_CODES,
  accountText,
  CHART,
  type AccountCode,
  type AccountKey,
  type AccountType,
} from './accounts.js';
export {
  addDays,
  earliestOn,
  isBefore,
  isDate,
  isThrough,
  latestOn,
  type BookMoment,
} from './book-moment.js';
export { LedgerStopped } from './balance-check.js';
export { creditDeferral, partsAfter, restoreDeferral, type Deferral, type Recognition } from './deferral.js';
export { Journal } from './journal.js';
export { post, type Posted, type PostingTable, type StreamBook } from './post.js';
export {
  WITHOUT_EFFECT,
  type Booking,
  type Found,
  type Outcome,
  type PostingRule,
  type PostingRules,
  type ScheduledBooking,
} from './posting-rule.js';
export { earnedEvenly, type EarnedPart } from './recognition.js';
export { shareOut } from './share-out.js';
export {
  credit,
  debit,
  inOrder,
  referenceTo,
  type EventReference,
  type LedgerTransaction,
  type Posting,
} from './transaction.js';
export {
  AccountBalances,
  sidesOf,
  trialBalances,
  type AccountBalance,
  type Sides,
  type TrialBalance,
  type TrialBalanceLine,
} from './trial-balance.js';
