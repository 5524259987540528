import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { balanceEvents, type BalanceEvent } from './events.js';
import type { BalanceTransaction } from './present.js';

const TYPES = {
  BalanceCredited: 'credited',
  BalanceApplied: 'applied',
  BalanceReturned: 'returned',
  BalanceDebited: 'debited',
} as const;

/** Tells whether an event of a balance's stream changed the balance. */
export function isBalanceEvent(event: RecordedEvent): event is Recorded<BalanceEvent> {
  return Object.hasOwn(balanceEvents, event.type);
}

/** Returns the change of the balance that an event recorded. */
export function transactionOf(event: Recorded<BalanceEvent>): BalanceTransaction {
  const { currency, amount, balance, at: createdAt } = event.data;
  const isTaken = event.type === 'BalanceApplied' || event.type === 'BalanceDebited';
  return {
    ...{ id: event.id, type: TYPES[event.type], currency, amount: isTaken ? `-${amount}` : amount, balance },
    ...aboutOf(event),
    createdAt,
  };
}

/** Returns the invoice or the credit note that caused the change. */
function aboutOf(event: Recorded<BalanceEvent>): Pick<BalanceTransaction, 'invoiceId' | 'creditNoteId'> {
  if (event.type === 'BalanceDebited') return { invoiceId: null, creditNoteId: event.data.creditNoteId };
  if (event.type !== 'BalanceCredited') return { invoiceId: event.data.invoiceId, creditNoteId: null };
  const { source, sourceId } = event.data;
  return source === 'invoice'
    ? { invoiceId: sourceId, creditNoteId: null }
    : { invoiceId: null, creditNoteId: sourceId };
}
