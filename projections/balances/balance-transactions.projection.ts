import { balanceTransactionOf, type BalanceEvent } from '#libs/contexts/balances';
import type { Recorded } from '#libs/kernel/domain';
import { appendOnlyProjection } from '#libs/kernel/projection';
import { BalanceTransactionRow } from './balance-transaction-row.js';

const EVENTS = [
  'BalanceCredited',
  'BalanceApplied',
  'BalanceDebtApplied',
  'BalanceDebtReturned',
  'BalanceReturned',
  'BalanceDebited',
  'BalanceWithdrawn',
  'BalanceWithdrawalReturned',
  'BalanceExcessRemoved',
  'BalanceTakenBack',
  'BalanceAdjusted',
] as const satisfies BalanceEvent['type'][];

/** All changes of balances, for `GET /v1/customers/:id/balance-transactions`. */
export const balanceTransactionsProjection = appendOnlyProjection<BalanceTransactionRow>({
  name: 'balance-transactions',
  version: 2,
  entity: BalanceTransactionRow,
  eventTypes: EVENTS,
  rowsOf(recorded) {
    const event = recorded as Recorded<BalanceEvent>;
    return [
      {
        ...balanceTransactionOf(event),
        workspaceId: event.metadata.workspaceId,
        customerId: event.data.customerId,
        position: String(event.position),
      },
    ];
  },
});
