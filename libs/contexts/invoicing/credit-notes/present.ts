import { jsonNumber } from '#libs/kernel/core';
import type { Invoice } from '../invoice.js';
import { presentTax } from '../present-terms.js';
import { creditNoteStatusOf, type CreditNote } from './credit-note.js';

/** Converts a credit note to its form in the API. */
export function presentCreditNote(
  invoice: Pick<Invoice, 'invoiceId' | 'number' | 'customerId' | 'currency'>,
  note: CreditNote,
) {
  return {
    id: note.creditNoteId,
    number: note.number,
    invoiceId: invoice.invoiceId,
    // Only an invoice that was opened is credited, and an opened invoice has a number.
    invoiceNumber: invoice.number!,
    customerId: invoice.customerId,
    status: creditNoteStatusOf(note),
    reason: note.reason,
    memo: note.memo,
    currency: invoice.currency,
    lines: note.lines.map(({ id, amount }) => ({ lineId: id, amount: jsonNumber(amount) })),
    discount: jsonNumber(note.discount),
    taxes: note.taxes.map(presentTax),
    total: jsonNumber(note.total),
    unpaidAmount: jsonNumber(note.unpaid),
    balanceAmount: jsonNumber(note.toBalance),
    refundAmount: jsonNumber(note.refunded),
    refundStatus: note.refundStatus,
    // A refusal is of no use to the reader once the money went back at the processor.
    refundRefusal: note.refundStatus === 'succeeded' ? null : (note.refundRefusal ?? null),
    refundedAtProcessor: jsonNumber(note.refundCovered ?? '0'),
    issuedAt: note.issuedAt,
    voidedAt: note.voidedAt ?? null,
    voidReason: note.voidReason ?? null,
  };
}
