export { LedgerQueries, type LedgerFilter } from './ledger-queries.js';
export type { LedgerPostingRow } from './ledger-posting-row.js';
export { DEFERRED_ACCOUNTS, EARNED_ACCOUNTS } from './revenue-accounts.js';
export {
  REVENUE_GROUPINGS,
  REVENUE_SOURCES,
  RevenueQueries,
  type DateRange,
  type ChangeToEarlierInvoice,
  type EarnedAmount,
  type GroupRevenue,
  type RevenueGrouping,
  type RevenueSource,
  type WaterfallAmount,
} from './revenue-queries.js';
export {
  ReceivablesAgeingQueries,
  type AgeingRequest,
  type CustomerReceivable,
  type InvoiceReceivable,
  type ReceivablesTotal,
} from './receivables-ageing-queries.js';
export { LedgerReadModule } from './ledger-read.module.js';
export { ledgerProjection, postingRows } from './ledger.projection.js';
export { presentLedgerEntry, presentTrialBalance, type PriceAndTaxRateNames } from './present.js';
