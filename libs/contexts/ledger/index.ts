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
export { Journal } from './journal.js';
export { post, type Posted, type StreamBook } from './post.js';
export { ledgerEventTypes } from './rules/index.js';
export {
  inOrder,
  referenceTo,
  type EventReference,
  type LedgerTransaction,
  type Posting,
} from './transaction.js';
export {
  Balances,
  sidesOf,
  trialBalances,
  type AccountBalance,
  type Sides,
  type TrialBalance,
  type TrialBalanceLine,
} from './trial-balance.js';
