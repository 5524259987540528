export { balanceDecider, type Balance } from './balance.js';
export { Balances, balanceStream, type BalanceKey, type BalanceKeyWithInvoice } from './balances.js';
export { BalancesModule } from './balances.module.js';
export { AdjustBalance } from './commands/adjust-balance.js';
export {
  OUTSIDE_PAYMENT_METHODS,
  type BalanceEvent,
  type BalanceSource,
  type OutsidePaymentMethod,
} from './events.js';
export { presentBalance, presentBalanceTransaction, type BalanceTransaction } from './present.js';
export { balanceTransactionOf } from './balance-transaction.js';
