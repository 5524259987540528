export { BalanceQueries } from './balance-queries.js';
export { balanceTransactionsProjection } from './balance-transactions.projection.js';
export { BalancesReadModule } from './balances-read.module.js';
export { balancesProjection } from './balances.projection.js';
