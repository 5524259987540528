import type { DecimalString } from '#libs/core';
import type { InvoiceLine } from '#libs/rating';
import type { Posting } from '../transaction.js';

/** What has to be known of an invoice to post its events. */
export type InvoiceBook =
  | { readonly status: 'draft'; readonly lines: readonly BilledLine[]; readonly tax: DecimalString }
  | {
      readonly status: 'open';
      readonly number: string;
      readonly charged: readonly ChargedPrice[];
      /** What the customer's balance paid of it. */
      readonly fromBalance: DecimalString;
      /** Owed to the tax authorities. */
      readonly tax: DecimalString;
      /** Whether it was written off: what is paid of it then is recovered. */
      readonly writtenOff?: true;
      /** By their ids; absent: none. */
      readonly creditNotes?: Readonly<Record<string, BookedCreditNote>>;
    };

type OpenBook = Extract<InvoiceBook, { status: 'open' }>;

/** What an invoice charges for one price. */
export interface ChargedPrice {
  /** Null for what is charged for by hand. */
  readonly priceId: string | null;
  readonly amount: DecimalString;
}

/** Its `amount` is what is earned of it: without discount and tax. */
export type BilledLine = Pick<InvoiceLine, 'type' | 'priceId' | 'amount' | 'periodStart' | 'periodEnd'>;

/** A credit note: what it posts as soon as it has its number, and the number from then on. */
export type BookedCreditNote = { readonly awaits: readonly Posting[] } | { readonly number: string };

/** The book of an invoice that was opened; an Error if it was not. */
export function opened(book: InvoiceBook | undefined): OpenBook {
  if (book?.status !== 'open') throw new Error('the invoice is paid without having been opened');
  return book;
}

/** Where it stands what the customer owes: what was written off is recovered where it was lost. */
export function receivable(book: InvoiceBook | undefined): 'accounts_receivable' | 'bad_debt' {
  return opened(book).writtenOff ? 'bad_debt' : 'accounts_receivable';
}

/** The book with what is known now of one of the invoice's credit notes. */
export function withCreditNote(
  book: InvoiceBook | undefined,
  creditNoteId: string,
  note: BookedCreditNote,
): OpenBook {
  const open = opened(book);
  return { ...open, creditNotes: { ...open.creditNotes, [creditNoteId]: note } };
}

/** What the book has of a credit note; an Error if it was not issued. */
export function bookedCreditNote(book: InvoiceBook | undefined, creditNoteId: string): BookedCreditNote {
  const note = opened(book).creditNotes?.[creditNoteId];
  if (note === undefined) throw new Error(`credit note ${creditNoteId} was not issued`);
  return note;
}
