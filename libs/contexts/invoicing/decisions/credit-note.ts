import { Conflict, Decimal } from '#libs/kernel/core';
import { requireCreditNote } from '../credit-notes/credit-note.js';
import { decideCreditNote } from '../credit-notes/decide-credit-note.js';
import { requireVoidable } from '../credit-notes/require-voidable.js';
import type { InvoiceEvent } from '../events.js';
import { amountToPay, type Invoice } from '../invoice.js';
import type { Of } from './command.js';
import { referenceOf, requireNoneInProgress } from './require.js';

/** Two that fit alone and not together meet here: the second one sees what the first one took. */
export function issueCreditNote(command: Of<'IssueCreditNote'>, invoice: Invoice): InvoiceEvent[] {
  const { at } = command;
  requireNoneInProgress(invoice);
  const note = decideCreditNote(command, invoice);
  const reference = referenceOf(invoice);
  const events: InvoiceEvent[] = [{ type: 'CreditNoteIssued', data: { at, ...reference, note } }];
  // Nothing is left to be paid: it is settled.
  if (invoice.status !== 'paid' && new Decimal(amountToPay(invoice)).eq(note.unpaid))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** Whoever comes first numbers it; the number is reserved under its id, so all bring the same. */
export function numberCreditNote(
  { at, creditNoteId, number }: Of<'NumberCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.number !== null) return [];
  const { total: amount, reason } = note;
  const data = { at, ...referenceOf(invoice), creditNoteId, number, amount, reason };
  return [{ type: 'CreditNoteNumbered', data }];
}

export function completeRefund({ at, creditNoteId }: Of<'CompleteRefund'>, invoice: Invoice): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.refundStatus !== 'pending') return [];
  const data = { at, ...referenceOf(invoice), creditNoteId, amount: note.refunded };
  return [{ type: 'CreditNoteRefunded', data }];
}

/** A charge that is under way is over the amount that is due by the note. */
export function voidCreditNote(
  { at, creditNoteId, reason }: Of<'VoidCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = requireCreditNote(creditNoteId, invoice.creditNotes);
  requireVoidable(note, invoice);
  if (note.voidedAt !== undefined) return [];
  requireNoneInProgress(invoice);
  const { number, total: amount } = note;
  if (number === null)
    throw new Conflict('not_numbered', 'The credit note has no number yet; try again in a moment');
  return [
    { type: 'CreditNoteVoided', data: { at, ...referenceOf(invoice), creditNoteId, number, amount, reason } },
  ];
}
