import {
  amountToPay,
  endOfRetries,
  isZeroAmount,
  pendingAttempt,
  plannedRetryAt,
  type Invoice,
} from '#libs/contexts/invoicing';
import { laterOf, type Instant } from '#libs/kernel/core';
import type { DebtRemovalReason } from './events.js';

/**
 * The instant since which an invoice is overdue, or the reason why the invoice is not overdue. `early`: the invoice is not due yet, was
 * never opened, or has a charge of a card in progress.
 */
export type OverdueState =
  { readonly overdueSince: Instant } | { readonly reasonNotOverdue: DebtRemovalReason | 'early' };

/**
 * Returns the instant since which an invoice is overdue, or the reason why the invoice is not overdue. An invoice with a planned payment
 * retry is not overdue, because the customer gets mail about the failed payment instead. An invoice is also not overdue while a card is
 * being charged for it. A payment from the customer's balance that is in progress does not count. An open invoice with nothing to pay
 * counts as `paid`. An invoice whose last retry failed and that is written off next is not overdue. An overdue invoice is overdue since its
 * due date, or since the end of its last payment attempt if that is later.
 */
export function overdueState(invoice: Invoice, at: Instant): OverdueState {
  const { status, dueDate, retries, attempts } = invoice;
  switch (status) {
    case 'draft':
      return { reasonNotOverdue: 'early' };
    case 'paid':
    case 'void':
    case 'uncollectible':
      return { reasonNotOverdue: status };
    case 'open':
      if (isZeroAmount(amountToPay(invoice))) return { reasonNotOverdue: 'paid' };
      if (plannedRetryAt(retries?.plan) !== null) return { reasonNotOverdue: 'retrying' };
      if (isBeingWrittenOff(invoice, at)) return { reasonNotOverdue: 'early' };
      // The outcome of a payment in progress leads to another review.
      if (dueDate > at || pendingAttempt(invoice)) return { reasonNotOverdue: 'early' };
      return { overdueSince: laterOf(dueDate, attempts.at(-1)?.finishedAt ?? dueDate) };
  }
}

/**
 * Tells whether the retries of an invoice are over and it is written off next. The failed charge and the write-off are separate events, and
 * the write-off leads to another review.
 */
function isBeingWrittenOff({ retries }: Invoice, at: Instant): boolean {
  const end = endOfRetries(retries?.plan);
  return (
    end !== null &&
    end.whenExhausted === 'mark_uncollectible' &&
    end.givesUpAt <= at &&
    retries?.gaveUp === false
  );
}
