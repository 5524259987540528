import { Decimal, InvalidRequest } from '#libs/kernel/core';
import type { Invoice } from '../invoice.js';
import { creditNoteStatusOf, type CreditNote } from './credit-note.js';

/**
 * Refuses a credit note that cannot be voided. InvalidRequest `credit_note_refunded` if the note refunds money to the card,
 * `credit_note_void` if the note is void already, `invoice_already_paid` if the invoice is paid after the deduction of the note. A note to
 * the balance is accepted here even if it is void, because the balance's stream refuses a second void (`Balances.debit`).
 */
export function requireVoidable(
  note: CreditNote,
  { status, number }: Pick<Invoice, 'status' | 'number'>,
): void {
  if (!new Decimal(note.refunded).isZero())
    throw new InvalidRequest(
      'credit_note_refunded',
      'The credit note is refunded to the card, which cannot be undone; charge the amount with POST /v1/invoices instead',
    );
  if (!new Decimal(note.toBalance).isZero()) return;
  if (creditNoteStatusOf(note) === 'void')
    throw new InvalidRequest('credit_note_void', 'The credit note is void already');
  if (status === 'paid')
    throw new InvalidRequest(
      'invoice_already_paid',
      `Invoice ${number} is paid after the credit note, and a paid invoice cannot be opened again; charge the amount with ` +
        'POST /v1/invoices instead',
    );
}
