import { balanceDecider } from '#libs/contexts/balances';
import { snapshotProjection } from '#libs/kernel/projection';
import { BalanceRow } from './balance-row.js';

/** The balances of customers, by currency, for `GET /v1/customers/:id/balances`. */
export const balancesProjection = snapshotProjection({
  name: 'balances',
  version: 3,
  entity: BalanceRow,
  decider: balanceDecider,
  columnsOf: ({ customerId, currency }) => ({ customerId, currency }),
});
