import {
  Conflict,
  Decimal,
  InvalidRequest,
  StateConflict,
  moneyString,
  type DecimalString,
} from '#libs/kernel/core';
import {
  creditNoteStatusOf,
  refundLeftOf,
  requireCreditNote,
  type CreditNote,
} from '../credit-notes/credit-note.js';
import type { InvoiceEvent, PurchasedBlock } from '../events.js';
import { amountToPay, type Invoice } from '../invoice.js';
import { decideCreditNote } from './credit-note-amounts.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf, requireNoPaymentInProgress } from './payment-guards.js';

/**
 * Issues a credit note. Two simultaneous credit notes could together exceed the amount of the invoice. The invoice's stream orders
 * simultaneous credit notes, so the second note is checked after the first one.
 */
export function issueCreditNote(
  command: InvoiceCommandOf<'IssueCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const { at } = command;
  requireNoPaymentInProgress(invoice);
  if (invoice.purchasedBlock && !command.ofVoidedCredits) throw creditsNotVoidedError(invoice.purchasedBlock);
  const note = decideCreditNote(command, invoice);
  const reference = invoiceReferenceOf(invoice);
  const events: InvoiceEvent[] = [{ type: 'CreditNoteIssued', data: { at, ...reference, note } }];
  // The credit note covers the whole amount due. So the invoice is paid.
  if (invoice.status !== 'paid' && new Decimal(amountToPay(invoice)).eq(note.unpaid))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/**
 * Returns the error that refuses a credit note on an invoice of prepaid credits, or the void of such an invoice. The prepaid credits must
 * also be voided, because the customer would otherwise keep the credits.
 */
export function creditsNotVoidedError({ creditType, blockId }: PurchasedBlock): InvalidRequest {
  return new StateConflict(
    'credits_not_voided',
    `The invoice is for prepaid credits. Void them, with "creditNote": true if they are usable: POST …/wallets/${creditType}/blocks/${blockId}/void`,
  );
}

/**
 * Assigns a number to a credit note. The number is reserved under the note's id, so a repeated command has the same number and changes
 * nothing.
 */
export function numberCreditNote(
  { at, creditNoteId, number }: InvoiceCommandOf<'NumberCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.number !== null) return [];
  const { total: amount, reason } = note;
  const data = { at, ...invoiceReferenceOf(invoice), creditNoteId, number, amount, reason };
  return [{ type: 'CreditNoteNumbered', data }];
}

export function completeCreditNoteRefund(
  { at, creditNoteId }: InvoiceCommandOf<'CompleteRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.refundStatus !== 'pending') return [];
  const data = { at, ...invoiceReferenceOf(invoice), creditNoteId, amount: refundLeft(note, invoice) };
  return [{ type: 'CreditNoteRefunded', data }];
}

/**
 * Records that the payment gateway refused the refund. The amount of a refused refund is still owed to the customer, until the note is
 * voided.
 */
export function recordCreditNoteRefundRefusal(
  { at, creditNoteId, message }: InvoiceCommandOf<'RefuseRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.refundStatus !== 'pending') return [];
  const data = {
    at,
    ...invoiceReferenceOf(invoice),
    creditNoteId,
    amount: refundLeft(note, invoice),
    message,
  };
  return [{ type: 'CreditNoteRefundRefused', data }];
}

/** Voids a credit note. Throws while a charge is in progress, because the amount of that charge was computed with the note. */
export function voidCreditNote(
  { at, creditNoteId, reason }: InvoiceCommandOf<'VoidCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = requireCreditNote(creditNoteId, invoice.creditNotes);
  requireVoidableCreditNote(note, invoice);
  if (note.voidedAt !== undefined) return [];
  requireNoPaymentInProgress(invoice);
  const { number, total: amount } = note;
  if (number === null)
    throw new Conflict('not_numbered', 'The credit note has no number yet; try again in a moment');
  return [
    {
      type: 'CreditNoteVoided',
      data: { at, ...invoiceReferenceOf(invoice), creditNoteId, number, amount, reason },
    },
  ];
}

/**
 * Throws if the credit note cannot be voided. Throws StateConflict (`credits_voided`) if the note is for voided credits. Throws
 * StateConflict (`credit_note_refunded`) if the note refunds money to the card, unless the whole refund was refused or failed. Throws
 * StateConflict (`credit_note_void`) if the note is void already. Throws InvalidRequest (`invoice_already_paid`) if the rest of the
 * invoice was paid after the note. A note that added to the balance skips these two checks. `Balances.removeCreditNoteAmount` refuses to
 * void such a note twice.
 */
export function requireVoidableCreditNote(
  note: CreditNote,
  { status, number, purchasedBlock }: Pick<Invoice, 'status' | 'number' | 'purchasedBlock'>,
): void {
  if (purchasedBlock)
    throw new StateConflict(
      'credits_voided',
      'The credit note gives back the price of voided credits, so it stays; sell the credits again instead',
    );
  const isPartlyBack = note.refundPartlyMade === true || !new Decimal(note.refundCovered ?? 0).isZero();
  const isUnpaid = (note.refundStatus === 'refused' || note.refundStatus === 'failed') && !isPartlyBack;
  if (!new Decimal(note.refunded).isZero() && !isUnpaid)
    throw new StateConflict(
      'credit_note_refunded',
      'The credit note is refunded to the card, which cannot be undone; charge the amount with POST /v1/invoices instead',
    );
  if (!new Decimal(note.toBalance).isZero()) return;
  if (creditNoteStatusOf(note) === 'void')
    throw new StateConflict('credit_note_void', 'The credit note is void already');
  if (status === 'paid' && !isUnpaid)
    throw new InvalidRequest(
      'invoice_already_paid',
      `Invoice ${number} is paid after the credit note, and a paid invoice cannot be opened again; charge the amount with ` +
        'POST /v1/invoices instead',
    );
}

/** The part of a credit note's refund that the payment gateway makes. */
function refundLeft(note: CreditNote, { currency }: Invoice): DecimalString {
  return moneyString(refundLeftOf(note), currency);
}
