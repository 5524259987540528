import { Conflict, StateConflict, type Instant } from '#libs/kernel/core';
import type { InvoiceEvent } from '../events.js';
import {
  amountToPay,
  attemptRequiringAction,
  isZeroAmount,
  pendingAttempt,
  type Invoice,
} from '../invoice.js';
import { endOfRetries, planRetries, plannedRetryAt } from '../payment-retries.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { openingEvents, requireOpening } from './draft.js';
import { invoiceReferenceOf, requireNoPaymentInProgress, requirePayable } from './payment-guards.js';

/**
 * Records the start of a payment before the card is charged. If two payments start at once, the invoice's stream accepts only one of them.
 * A planned retry is refused unless it is due and still planned. A payment with `newestAttempt` is refused if a newer attempt was made. A
 * payment with `shownAmount` is refused if another amount is to be paid.
 */
export function startPayment(command: InvoiceCommandOf<'StartPayment'>, invoice: Invoice): InvoiceEvent[] {
  const { at, attemptId, method, opening, retryAfter, newestAttempt, shownAmount, chosenMethod } = command;
  requirePayable(invoice);
  if (retryAfter !== undefined) requireDueRetry(invoice, retryAfter, at);
  if (newestAttempt !== undefined && (invoice.attempts.at(-1)?.attemptId ?? null) !== newestAttempt)
    throw new StateConflict('charged_meanwhile', 'Another attempt to pay the invoice was made meanwhile');
  const isDraft = invoice.status === 'draft';
  const opens = isDraft ? openingEvents(at, requireOpening(opening), invoice) : [];
  const amount = amountToPay(invoice, isDraft ? opening : null);
  if (shownAmount !== undefined && amount !== shownAmount)
    throw new StateConflict(
      'amount_changed',
      `The amount to pay is ${amount} ${invoice.currency} now, and not ${shownAmount}; look at the invoice again, and pay that amount`,
    );
  if (isZeroAmount(amount)) return opens;
  // Nothing was owed when the command was created, but another request has recomputed the draft meanwhile.
  if (method === null)
    throw new Conflict(
      'concurrent_modification',
      'The total of the invoice increased during the payment; try again',
    );
  return [
    ...opens,
    {
      type: 'PaymentStarted',
      data: {
        at,
        ...invoiceReferenceOf(invoice),
        attemptId,
        attempt: invoice.attempts.length + 1,
        ...(retryAfter === undefined ? {} : { retry: (invoice.retries?.made ?? 0) + 1 }),
        amount,
        method,
        ...(chosenMethod === undefined ? {} : { chosenMethod }),
      },
    },
  ];
}

/** Records that the customer has given the confirmation for which the newest payment attempt waits. */
export function confirmPayment({ at }: InvoiceCommandOf<'ConfirmPayment'>, invoice: Invoice): InvoiceEvent[] {
  requirePayable(invoice);
  const attempt = attemptRequiringAction(invoice);
  if (!attempt)
    throw new StateConflict(
      'no_action_required',
      'No payment of the amount due waits for a confirmation; pay the invoice instead',
    );
  return [
    { type: 'PaymentConfirmed', data: { at, ...invoiceReferenceOf(invoice), attemptId: attempt.attemptId } },
  ];
}

/**
 * Records the outcome of a charge. The charging process and the saga can both report the outcome. Only the first report of an outcome is
 * recorded.
 */
export function completePayment(
  { at, attemptId, outcome, retryRules }: InvoiceCommandOf<'CompletePayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const attempt = invoice.attempts.find((one) => one.attemptId === attemptId);
  if (attempt?.status !== 'pending') return [];
  const reference = { at, ...invoiceReferenceOf(invoice), attemptId };
  const about = {
    ...reference,
    ...(invoice.status === 'uncollectible' ? { writtenOff: true as const } : {}),
  };
  switch (outcome.status) {
    case 'succeeded':
      return [
        {
          type: 'PaymentSucceeded',
          data: {
            ...about,
            attempt: attempt.attempt,
            amount: attempt.amount,
            ...(invoice.attempts.some(({ status }) => status === 'failed') ? { recovered: true } : {}),
          },
        },
        { type: 'InvoicePaid', data: reference },
      ];
    case 'failed': {
      const { code, message } = outcome;
      const plan = planRetries(retryRules, invoice, at, { code, wasRetry: attempt.retry !== undefined });
      const data = { ...about, attempt: attempt.attempt, code, message, ...(plan && { retries: plan }) };
      return [{ type: 'PaymentFailed', data }];
    }
    case 'requires_action': {
      const plan = planRetries(retryRules, invoice, at, { without: 'action_required' });
      const data = { ...about, message: outcome.message, ...(plan && { retries: plan }) };
      return [{ type: 'PaymentActionRequired', data }];
    }
  }
}

/**
 * Records that a due retry could not be made. The customer has no default payment method or was deleted. No further retry is planned, and
 * the invoice waits for a new payment method.
 */
export function skipPaymentRetry(
  { at, afterAttemptId, retryRules }: InvoiceCommandOf<'SkipPaymentRetry'>,
  invoice: Invoice,
): InvoiceEvent[] {
  requirePayable(invoice);
  requireDueRetry(invoice, afterAttemptId, at);
  const plan = planRetries(retryRules, invoice, at, { without: 'no_payment_method' });
  const data = {
    at,
    ...invoiceReferenceOf(invoice),
    attemptId: afterAttemptId,
    ...(plan && { retries: plan }),
  };
  return [{ type: 'PaymentRetrySkipped', data }];
}

/**
 * Records that the invoice is still unpaid at the end of its retries, and writes the invoice off if the retry settings say so. Records
 * nothing if another attempt was made meanwhile, or if the invoice is not open any more. Throws StateConflict (`payment_in_progress`)
 * while a payment from the customer's balance is in progress.
 */
export function endPaymentRetries(
  { at, afterAttemptId }: InvoiceCommandOf<'EndPaymentRetries'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const { status, retries } = invoice;
  const end = endOfRetries(retries?.plan);
  if (status !== 'open' || !end || retries?.afterAttemptId !== afterAttemptId || retries.gaveUp) return [];
  if (end.givesUpAt > at || pendingAttempt(invoice)) return [];
  // The payment from the balance can fail, so the caller's task must run again.
  requireNoPaymentInProgress(invoice);
  const reference = { at, ...invoiceReferenceOf(invoice) };
  const { ended: reason, subscription, whenExhausted } = end;
  const over: InvoiceEvent = {
    type: 'PaymentRetriesEnded',
    data: { ...reference, attemptId: afterAttemptId, reason, subscription },
  };
  if (whenExhausted === 'leave_open') return [over];
  return [over, { type: 'InvoiceMarkedUncollectible', data: { ...reference, amount: amountToPay(invoice) } }];
}

/**
 * Refuses a retry that is not due yet or not planned any more. A retry is not planned if the invoice is not open, or if another attempt
 * changed the plan.
 */
function requireDueRetry({ status, retries }: Invoice, afterAttemptId: string, at: Instant): void {
  const dueAt = plannedRetryAt(retries?.plan);
  if (status !== 'open' || dueAt === null || retries?.afterAttemptId !== afterAttemptId || dueAt > at)
    throw new StateConflict(
      'retry_not_due',
      'The retry of this payment is not planned any more, or is not due',
    );
}
