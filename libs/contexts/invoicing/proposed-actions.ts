import type { ProposedAction, ResourceFieldChange } from '#libs/contexts/approvals';
import type { CreditNote } from './credit-notes/credit-note.js';
import { amountToPay, type Invoice } from './invoice.js';
import type { RecordedPayment } from './recorded-payments/recorded-payment.js';

type Proposal = Omit<ProposedAction, 'command'>;

/** Describes the voiding of an invoice in its approval request. The amount of the approval request is the total of the invoice. */
export function invoiceVoidProposal(before: Invoice, after: Invoice, reason: string | null): Proposal {
  const { customerId, invoiceId, total: amount, currency, lines } = before;
  return {
    customerId,
    resource: { type: 'invoice', id: invoiceId },
    amount,
    currency,
    reason,
    effectiveAt: null,
    // The total says everything: a void gives up the whole invoice.
    terms: [],
    lines: lines.map((line) => ({ description: line.description, amount: line.amount })),
    changes: [
      { field: 'status', before: before.status, after: after.status },
      { field: 'amountDue', before: amountToPay(before), after: '0', isNumber: true },
    ],
  };
}

/** Returns the details of a credit note that its approval request shows. The amount is the total of the credit note, with taxes. */
export function proposedCreditNote(before: Invoice, note: CreditNote): Proposal {
  const { customerId, invoiceId, currency, status, lines } = before;
  const describe = (lineId: string) => lines.find(({ id }) => id === lineId)?.description ?? lineId;
  const number = (field: string, more: string): ResourceFieldChange => ({
    field,
    before: null,
    after: more,
    isNumber: true,
  });
  return {
    customerId,
    resource: { type: 'invoice', id: invoiceId },
    amount: note.total,
    currency,
    reason: note.memo,
    effectiveAt: null,
    // Where the money goes depends on what is paid. A payment in between makes a refund of a reduced amount due.
    terms: [
      { name: 'creditedToAmountDue', value: note.unpaid, isNumber: true },
      { name: 'creditedToBalance', value: note.toBalance, isNumber: true },
      { name: 'refunded', value: note.refunded, isNumber: true },
    ],
    lines: [
      ...(note.allocations ?? []).map(({ lineId, amount }) => ({ description: describe(lineId), amount })),
      ...note.taxes.map((tax) => ({ description: tax.name, amount: tax.amount })),
    ],
    changes: [
      { field: 'status', before: status, after: status },
      number('creditedToAmountDue', note.unpaid),
      number('creditedToBalance', note.toBalance),
      number('refunded', note.refunded),
    ],
  };
}

/** Describes the write-off of an invoice in its approval request. The amount is what the customer no longer has to pay. */
export function writeOffProposal(before: Invoice, after: Invoice): Proposal {
  const { customerId, invoiceId, currency, lines } = before;
  return {
    customerId,
    resource: { type: 'invoice', id: invoiceId },
    amount: amountToPay(before),
    currency,
    reason: null,
    effectiveAt: null,
    // The amount due says everything.
    terms: [],
    lines: lines.map((line) => ({ description: line.description, amount: line.amount })),
    changes: [{ field: 'status', before: before.status, after: after.status }],
  };
}

/**
 * Describes a recorded payment in its approval request. The amount is the payment, since the customer then owes that much less, or has the
 * rest of it on the balance. The terms say how the payment is divided.
 */
export function recordedPaymentProposal(before: Invoice, after: Invoice, payment: RecordedPayment): Proposal {
  const { customerId, invoiceId, currency } = before;
  const { amount, method, paidAt, toBalance, reference } = payment;
  return {
    customerId,
    resource: { type: 'invoice', id: invoiceId },
    amount,
    currency,
    reason: reference,
    effectiveAt: null,
    terms: [
      { name: 'method', value: method },
      { name: 'paidAt', value: paidAt },
      { name: 'toBalance', value: toBalance, isNumber: true },
    ],
    lines: [{ description: `Payment of invoice ${before.number ?? invoiceId}`, amount }],
    changes: [
      { field: 'status', before: before.status, after: after.status },
      { field: 'amountDue', before: amountToPay(before), after: amountToPay(after), isNumber: true },
    ],
  };
}
