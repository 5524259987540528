export { balanceDecider, type Balance } from './balance.js';
export { Balances, balanceStream, type BalanceKey, type InvoiceOnBalance } from './balances.js';
export { BalancesModule } from './balances.module.js';
export type { BalanceEvent, BalanceSource } from './events.js';
export { presentBalance, presentBalanceTransaction, type BalanceTransaction } from './present.js';
export { transactionOf } from './transaction.js';
