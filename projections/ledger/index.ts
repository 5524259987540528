export { LedgerQueries, type LedgerFilter } from './ledger-queries.js';
export { LedgerReadModule } from './ledger-read.module.js';
export { ledgerProjection } from './ledger.projection.js';
export { presentLedgerEntry, presentTrialBalance } from './present.js';
