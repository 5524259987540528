import { Conflict, InvalidRequest } from '#libs/kernel/core';
import type { InvoiceEvent } from '../events.js';
import { amountToPay, attemptRequiringAction, isZeroAmount, type Invoice } from '../invoice.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { openingEvents, requireOpening } from './draft.js';
import { invoiceReferenceOf, requirePayable } from './payment-guards.js';

/** Records the start of a payment before the card is charged. If two payments start at once, the stream accepts one. */
export function startPayment(
  { at, attemptId, method, opening }: InvoiceCommandOf<'StartPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  requirePayable(invoice);
  const isDraft = invoice.status === 'draft';
  const opens = isDraft ? openingEvents(at, requireOpening(opening), invoice) : [];
  const amount = amountToPay(invoice, isDraft ? opening : null);
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
        amount,
        method,
      },
    },
  ];
}

export function confirmPayment({ at }: InvoiceCommandOf<'ConfirmPayment'>, invoice: Invoice): InvoiceEvent[] {
  requirePayable(invoice);
  const attempt = attemptRequiringAction(invoice);
  if (!attempt)
    throw new InvalidRequest(
      'no_action_required',
      'No payment of the amount due waits for a confirmation; pay the invoice instead',
    );
  return [
    { type: 'PaymentConfirmed', data: { at, ...invoiceReferenceOf(invoice), attemptId: attempt.attemptId } },
  ];
}

/** Records the outcome of a charge. The charging process and the saga can both report the outcome. Only the first report is recorded. */
export function completePayment(
  { at, attemptId, outcome }: InvoiceCommandOf<'CompletePayment'>,
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
          data: { ...about, attempt: attempt.attempt, amount: attempt.amount },
        },
        { type: 'InvoicePaid', data: reference },
      ];
    case 'failed': {
      const { code, message } = outcome;
      return [{ type: 'PaymentFailed', data: { ...about, attempt: attempt.attempt, code, message } }];
    }
    case 'requires_action':
      return [{ type: 'PaymentActionRequired', data: { ...about, message: outcome.message } }];
  }
}
