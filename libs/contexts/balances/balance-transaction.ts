import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { balanceEvents, type BalanceEvent } from './events.js';
import type { BalanceTransaction } from './present.js';

const TYPES = {
  BalanceCredited: 'credited',
  BalanceApplied: 'applied',
  BalanceDebtApplied: 'applied',
  BalanceDebtReturned: 'returned',
  BalanceReturned: 'returned',
  BalanceDebited: 'debited',
  BalanceWithdrawn: 'applied',
  BalanceWithdrawalReturned: 'returned',
  BalanceExcessRemoved: 'debited',
  BalanceTakenBack: 'debited',
  BalanceAdjusted: 'adjusted',
} as const;

/** Tells whether an event of a balance's stream changed the balance. */
export function isBalanceEvent(event: RecordedEvent): event is Recorded<BalanceEvent> {
  return Object.hasOwn(balanceEvents, event.type);
}

/** Returns the change of the balance that an event recorded. */
export function balanceTransactionOf(event: Recorded<BalanceEvent>): BalanceTransaction {
  const { currency, amount, balance, at: createdAt } = event.data;
  return {
    id: event.id,
    type: TYPES[event.type],
    currency,
    amount: isTaken(event) ? `-${amount}` : amount,
    balance,
    invoiceId: null,
    creditNoteId: null,
    paymentId: null,
    ...causeOf(event),
    createdAt,
  };
}

function isTaken(event: BalanceEvent): boolean {
  switch (event.type) {
    case 'BalanceApplied':
    case 'BalanceDebited':
    case 'BalanceWithdrawn':
    case 'BalanceExcessRemoved':
    case 'BalanceTakenBack':
    case 'BalanceDebtReturned':
      return true;
    case 'BalanceAdjusted':
      return event.data.change === 'taken';
    case 'BalanceCredited':
    case 'BalanceReturned':
    case 'BalanceWithdrawalReturned':
    case 'BalanceDebtApplied':
      return false;
  }
}

/** Returns the invoice, the credit note or the payment that caused the change. A payment can come with its invoice. */
function causeOf(
  event: BalanceEvent,
): Partial<Pick<BalanceTransaction, 'invoiceId' | 'creditNoteId' | 'paymentId'>> {
  switch (event.type) {
    case 'BalanceAdjusted':
      return {};
    case 'BalanceDebited':
      return { creditNoteId: event.data.creditNoteId };
    case 'BalanceApplied':
    case 'BalanceDebtApplied':
    case 'BalanceDebtReturned':
    case 'BalanceReturned':
    case 'BalanceTakenBack':
      return { invoiceId: event.data.invoiceId };
    case 'BalanceWithdrawn':
    case 'BalanceWithdrawalReturned':
    case 'BalanceExcessRemoved':
      return { invoiceId: event.data.invoiceId, paymentId: event.data.paymentId };
    case 'BalanceCredited': {
      const { source, sourceId, invoiceId } = event.data;
      switch (source) {
        case 'invoice':
          return { invoiceId: sourceId };
        case 'credit_note':
          return { creditNoteId: sourceId };
        case 'payment':
          return { paymentId: sourceId };
        case 'refund':
          return invoiceId === undefined ? {} : { invoiceId };
      }
    }
  }
}
