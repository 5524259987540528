export { BalanceQueries } from './balance-queries.js';
export { BalancesReadModule } from './balances-read.module.js';
