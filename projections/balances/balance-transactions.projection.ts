import type { BalanceEvent } from '#libs/contexts/balances';
import type { Recorded } from '#libs/kernel/domain';
import { appendOnlyProjection } from '#libs/kernel/projection';
import { BalanceTransactionRow } from './balance-transaction-row.js';

const EVENTS = [
  'BalanceCredited',
  'BalanceApplied',
  'BalanceReturned',
  'BalanceDebited',
] as const satisfies BalanceEvent['type'][];

const TYPES = {
  BalanceCredited: 'credited',
  BalanceApplied: 'applied',
  BalanceReturned: 'returned',
  BalanceDebited: 'debited',
} as const;

/** All changes of balances, for `GET /v1/customers/:id/balance-transactions`. */
export const balanceTransactionsProjection = appendOnlyProjection<BalanceTransactionRow>({
  name: 'balance-transactions',
  version: 1,
  entity: BalanceTransactionRow,
  eventTypes: EVENTS,
  rows(recorded) {
    const event = recorded as Recorded<BalanceEvent>;
    const { customerId, currency, amount, balance, at } = event.data;
    const about = aboutOf(event);
    return [
      {
        id: event.id,
        workspaceId: event.metadata.workspaceId,
        customerId,
        currency,
        type: TYPES[event.type],
        amount: event.type === 'BalanceApplied' || event.type === 'BalanceDebited' ? `-${amount}` : amount,
        balance,
        ...about,
        createdAt: at,
        position: String(event.position),
      },
    ];
  },
});

/** Returns the invoice or the credit note that caused the change. */
function aboutOf(event: Recorded<BalanceEvent>): Pick<BalanceTransactionRow, 'invoiceId' | 'creditNoteId'> {
  if (event.type === 'BalanceDebited') return { invoiceId: null, creditNoteId: event.data.creditNoteId };
  if (event.type !== 'BalanceCredited') return { invoiceId: event.data.invoiceId, creditNoteId: null };
  const { source, sourceId } = event.data;
  return source === 'invoice'
    ? { invoiceId: sourceId, creditNoteId: null }
    : { invoiceId: null, creditNoteId: sourceId };
}
