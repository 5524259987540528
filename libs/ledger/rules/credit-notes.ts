import { Decimal, sumOf } from '#libs/core';
import type { CreditNoteDetails, InvoiceEvent } from '#libs/invoicing';
import { credit, debit, type Posting } from '../transaction.js';
import { bookedCreditNote, opened, receivable, withCreditNote, type InvoiceBook } from './invoice-book.js';
import type { PostingRules } from './rule.js';

type CreditNoteEvent = Extract<InvoiceEvent, { type: `CreditNote${string}` }>;

/**
 * A credit note is in the books from when it has its number, as an invoice is, so that nothing stands there that cannot be told
 * apart. It gets it right behind its issue, by which what it posts is settled.
 */
export const creditNoteRules: PostingRules<CreditNoteEvent, InvoiceBook> = {
  CreditNoteIssued: ({ data: { note } }, { book }) => ({
    book: withCreditNote(book, note.creditNoteId, { awaits: postingsOf(note, book) }),
  }),
  CreditNoteNumbered({ data: { creditNoteId, number } }, { book }) {
    const note = bookedCreditNote(book, creditNoteId);
    if (!('awaits' in note)) throw new Error(`credit note ${note.number} is numbered twice`);
    return {
      book: withCreditNote(book, creditNoteId, { number }),
      now: {
        description: `Credit note ${number} on invoice ${opened(book).number}`,
        postings: note.awaits,
      },
    };
  },
  CreditNoteRefunded({ data: { creditNoteId, amount } }, { book }) {
    const note = bookedCreditNote(book, creditNoteId);
    if ('awaits' in note) throw new Error(`credit note ${creditNoteId} is refunded before it has a number`);
    return {
      book,
      now: {
        description: `Refund of credit note ${note.number} on invoice ${opened(book).number}`,
        postings: [debit('accounts_receivable', amount), credit('cash', amount)],
      },
    };
  },
};

function postingsOf(note: CreditNoteDetails, book: InvoiceBook | undefined): Posting[] {
  const tax = sumOf(note.taxes.map(({ amount }) => amount));
  return [
    debit('refunds', new Decimal(note.total).minus(tax)),
    debit('tax_payable', tax),
    credit(receivable(book), note.unpaid),
    credit('customer_credit', note.toBalance),
    // Owed to the customer until the money is on its way.
    credit('accounts_receivable', note.refunded),
  ];
}
