import {
  amountToPay,
  isZeroAmount,
  pendingAttempt,
  plannedRetryAt,
  type Invoice,
} from '#libs/contexts/invoicing';
import { laterOf, type Instant } from '#libs/kernel/core';
import type { SettledReason } from './events.js';

/** Whether an invoice is a debt to remind of: since when, or why not. `early`: it is not due, or was never opened. */
export type OverdueState =
  { readonly overdueSince: Instant } | { readonly notOverdue: SettledReason | 'early' };

/**
 * Tells whether a customer is to be reminded of an invoice. While a retry of its payment is planned, mail about failed payments tells the
 * customer, so reminders begin when the retries are over. Then the time counts from the last attempt.
 */
export function overdueState(invoice: Invoice, at: Instant): OverdueState {
  const { status, dueDate, retries, attempts } = invoice;
  switch (status) {
    case 'draft':
      return { notOverdue: 'early' };
    case 'paid':
    case 'void':
    case 'uncollectible':
      return { notOverdue: status };
    case 'open':
      if (isZeroAmount(amountToPay(invoice))) return { notOverdue: 'paid' };
      if (plannedRetryAt(retries?.plan) !== null) return { notOverdue: 'retrying' };
      // The outcome of a payment in progress leads to another review.
      if (dueDate > at || pendingAttempt(invoice)) return { notOverdue: 'early' };
      return { overdueSince: laterOf(dueDate, attempts.at(-1)?.finishedAt ?? dueDate) };
  }
}
