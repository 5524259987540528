import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Deferral, Posting } from '#libs/contexts/ledger';
import type { InvoiceLine } from '#libs/rating';

/** What has to be known of an invoice to post its events. */
export type InvoiceBook =
  | {
      readonly status: 'draft';
      readonly lines: readonly BilledLine[];
      readonly tax: DecimalString;
      readonly timezone: string;
      /** By later invoices; absent: none. */
      readonly giveBacks?: readonly GiveBackOfDraft[];
    }
  | {
      readonly status: 'open';
      readonly number: string;
      /** Whose calendar dates it and its months. */
      readonly timezone: string;
      readonly charged: readonly ChargedPrice[];
      /** Absent: nothing of it was deferred. */
      readonly lines?: readonly BookedLine[];
      /** What the customer's balance paid of it. */
      readonly fromBalance: DecimalString;
      /** Owed to the tax authorities. */
      readonly tax: DecimalString;
      /** Whether it was written off: what is paid of it then is recovered. */
      readonly writtenOff?: true;
      /** By their ids; absent: none. */
      readonly creditNotes?: Readonly<Record<string, BookedCreditNote>>;
    };

export type OpenBook = Extract<InvoiceBook, { status: 'open' }>;

/** What an invoice charges for one price. */
export interface ChargedPrice {
  /** Null for what is charged for by hand. */
  readonly priceId: string | null;
  readonly amount: DecimalString;
}

/** A line of a draft. */
export interface BilledLine extends Pick<
  InvoiceLine,
  'id' | 'type' | 'priceId' | 'amount' | 'periodStart' | 'periodEnd'
> {
  /** Less what coupons take off it; with the taxes that it contains. */
  readonly charged: DecimalString;
  /** What is earned of it: without discount and tax. */
  readonly net: DecimalString;
}

/** A line of an invoice that was opened, as far as credit notes ask for it. */
export interface BookedLine extends Pick<BilledLine, 'id' | 'priceId' | 'amount' | 'charged' | 'net'> {
  /** What credit notes have given back of `charged`. */
  readonly credited: DecimalString;
  /** What was deferred of it, or was left of that by the last credit note; absent: nothing. */
  readonly deferral?: Deferral;
  /** By later invoices; absent: nothing. */
  readonly givenBack?: readonly BookedGiveBack[];
}

/** What a later invoice gave back before the invoice was opened. */
export interface GiveBackOfDraft {
  readonly byInvoiceId: string;
  readonly lines: readonly Allocation[];
  readonly at: Instant;
}

/** What a later invoice gives back of a line: that of the time after it. That invoice posts it. */
export interface BookedGiveBack {
  readonly byInvoiceId: string;
  /** Of `charged`. */
  readonly amount: DecimalString;
  /** What it takes from what is deferred of the line; absent: nothing is. */
  readonly deferral?: Deferral;
}

/** How much of what a line charges a credit note gives back: less coupons, before taxes are added. */
export interface Allocation {
  readonly lineId: string;
  readonly amount: DecimalString;
}

/** A credit note from its issue on: what it posts as soon as it has its number. */
export interface AwaitedCreditNote {
  /** Without taxes. */
  readonly net: DecimalString;
  /** Of the lines, where something of them is deferred. */
  readonly allocations: readonly Allocation[];
  /** The other side of the net, and the taxes: settled by its issue. */
  readonly postings: readonly Posting[];
}

/** What a credit note took back from what was deferred of a line: that of the time after it. */
export interface ReversedDeferral {
  readonly lineId: string;
  readonly deferral: Deferral;
}

/** A credit note that has its number: what is to be known to post that it is void. */
export interface PostedCreditNote extends AwaitedCreditNote {
  readonly reversed: readonly ReversedDeferral[];
}

/** A credit note: what it posts as soon as it has its number, and from then on the number and what was posted. */
export type BookedCreditNote =
  { readonly awaits: AwaitedCreditNote } | { readonly number: string; readonly posted: PostedCreditNote };

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

/** The book without a credit note that is void. */
export function withoutCreditNote(book: InvoiceBook | undefined, creditNoteId: string): OpenBook {
  const { creditNotes = {}, ...open } = opened(book);
  const { [creditNoteId]: _, ...others } = creditNotes;
  return Object.keys(others).length === 0 ? open : { ...open, creditNotes: others };
}

/** What the book has of a credit note; an Error if it was not issued. */
export function bookedCreditNote(book: InvoiceBook | undefined, creditNoteId: string): BookedCreditNote {
  const note = opened(book).creditNotes?.[creditNoteId];
  if (note === undefined) throw new Error(`credit note ${creditNoteId} was not issued`);
  return note;
}
