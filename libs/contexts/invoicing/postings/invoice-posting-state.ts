import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Booking, Deferral, Posting } from '#libs/contexts/ledger';
import type { AppliedTax, InvoiceLine } from '#libs/rating';

/** The state of an invoice that the posting rules keep from one event to the next. */
export type InvoicePostingState =
  | {
      readonly status: 'draft';
      readonly lines: readonly LineWithRevenue[];
      readonly taxes: readonly BookedTax[];
      readonly timezone: string;
      /** The give-backs of later invoices. Absent if there are none. */
      readonly giveBacks?: readonly RecordedGiveBack[];
    }
  | {
      readonly status: 'open';
      readonly number: string;
      /** The time zone (IANA) that determines the invoice's date and the months of its periods. */
      readonly timezone: string;
      readonly charged: readonly PriceCharge[];
      /** The lines that are needed to post credit notes. Absent if nothing of the invoice was deferred. */
      readonly lines?: readonly BookedLine[];
      /**
       * The net amount of the invoice's credit purchases. The net amount of credit purchases becomes revenue when the credits are used.
       * Absent if there are none.
       */
      readonly prepaid?: DecimalString;
      /** The part of the invoice that was paid from the customer's balance. */
      readonly fromBalance: DecimalString;
      /** The amounts that are owed to the tax authorities, one for each rate. */
      readonly taxes: readonly BookedTax[];
      /** True if the invoice was written off. A payment after the write-off reduces bad debt. */
      readonly writtenOff?: true;
      /** The credit notes by id. Absent if there are none. */
      readonly creditNotes?: Readonly<Record<string, BookedCreditNote>>;
    };

export type OpenInvoicePostingState = Extract<InvoicePostingState, { status: 'open' }>;

/** The tax of one rate on an invoice. */
export type BookedTax = Pick<AppliedTax, 'taxRateId' | 'amount'>;

/** The amount that an invoice charges for one price. */
export interface PriceCharge {
  /** The id of the price; null for lines without a price, such as those of a manual invoice. */
  readonly priceId: string | null;
  /** The revenue of the price, earned or still deferred: the amount without discounts and taxes. */
  readonly amount: DecimalString;
}

/** An invoice line, with its charged amount and its revenue. A draft keeps its lines in this form. */
export interface LineWithRevenue extends Pick<
  InvoiceLine,
  'id' | 'type' | 'priceId' | 'amount' | 'periodStart' | 'periodEnd'
> {
  /** The amount after coupons, including inclusive taxes. */
  readonly charged: DecimalString;
  /** The revenue of the line: the amount without discount and tax. */
  readonly net: DecimalString;
}

/** A line of an opened invoice, with the fields that are needed to post credit notes. */
export interface BookedLine extends Pick<LineWithRevenue, 'id' | 'priceId' | 'amount' | 'charged' | 'net'> {
  /** The part of `charged` that credit notes have given back. */
  readonly credited: DecimalString;
  /** The part of the line that is still deferred after the latest credit note. Absent if nothing is deferred. */
  readonly deferral?: Deferral;
  /** The give-backs of later invoices. Absent if there are none. */
  readonly givenBack?: readonly BookedGiveBack[];
}

/** A give-back that a later invoice recorded before this invoice was opened. */
export interface RecordedGiveBack {
  /** The later invoice. */
  readonly byInvoiceId: string;
  readonly lines: readonly LineAllocation[];
  /** The instant at which the give-back was recorded. */
  readonly at: Instant;
}

/** The part of a line's amount that a later invoice gives back, for the time after that invoice. The later invoice posts this amount. */
export interface BookedGiveBack {
  /** The later invoice. */
  readonly byInvoiceId: string;
  /** The part of `charged` that is given back. */
  readonly amount: DecimalString;
  /** The amount that the give-back takes from the line's deferral. Absent if it takes nothing. */
  readonly deferral?: Deferral;
}

/** The part of a line's amount that is given back, after coupons and before taxes are added. */
export interface LineAllocation {
  readonly lineId: string;
  readonly amount: DecimalString;
}

/** A credit note without a number, with the amounts that are posted when it gets its number. */
export interface UnnumberedCreditNote {
  /** The amount of the credit note without taxes. */
  readonly net: DecimalString;
  /** The credited part of each line; empty if nothing of the invoice is deferred. */
  readonly allocations: readonly LineAllocation[];
  /**
   * All postings of the credit note except those of `net`: the taxes, the reduction of the amount due, and the amounts that the customer
   * gets back. The postings of a credit note are fixed when the note is issued.
   */
  readonly postings: readonly Posting[];
}

/** The part of a line's deferred revenue that a credit note reversed. This part covers the service time after the credit note. */
export interface ReversedDeferral {
  readonly lineId: string;
  readonly deferral: Deferral;
}

/** A numbered credit note, with the state that is needed to post its void. */
export interface PostedCreditNote extends UnnumberedCreditNote {
  readonly reversed: readonly ReversedDeferral[];
}

/**
 * A credit note in the posting state. The amounts of a credit note without a number are in `awaits`, because they are posted when the note
 * gets its number. A numbered credit note has `number` and `posted`.
 */
export type BookedCreditNote =
  { readonly awaits: UnnumberedCreditNote } | { readonly number: string; readonly posted: PostedCreditNote };

/** Returns the posting state of an opened invoice. Throws an Error if the invoice was not opened, or was voided. */
export function requireOpenPostingState(book: InvoicePostingState | undefined): OpenInvoicePostingState {
  if (book?.status !== 'open') throw new Error('the invoice was not opened');
  return book;
}

/** The time zone and the invoice number of each booking of an opened invoice. */
export function bookingFieldsOf(
  invoice: Pick<OpenInvoicePostingState, 'timezone' | 'number'>,
): Pick<Booking, 'timezone' | 'invoiceNumber'> {
  return { timezone: invoice.timezone, invoiceNumber: invoice.number };
}

/** The account of the amount that the customer owes. The account is accounts receivable, or bad debt after a write-off. */
export function receivableAccount(book: InvoicePostingState | undefined): 'accounts_receivable' | 'bad_debt' {
  return requireOpenPostingState(book).writtenOff ? 'bad_debt' : 'accounts_receivable';
}

/** The posting state with the new state of one credit note. */
export function setCreditNoteInPostingState(
  book: InvoicePostingState | undefined,
  creditNoteId: string,
  note: BookedCreditNote,
): OpenInvoicePostingState {
  const open = requireOpenPostingState(book);
  return { ...open, creditNotes: { ...open.creditNotes, [creditNoteId]: note } };
}

/** The posting state without a credit note that was voided. */
export function removeCreditNoteFromPostingState(
  book: InvoicePostingState | undefined,
  creditNoteId: string,
): OpenInvoicePostingState {
  const { creditNotes = {}, ...open } = requireOpenPostingState(book);
  const { [creditNoteId]: _, ...others } = creditNotes;
  return Object.keys(others).length === 0 ? open : { ...open, creditNotes: others };
}

/** Returns the posting state of a credit note. Throws an Error if the note was not issued, or was voided. */
export function requireBookedCreditNote(
  book: InvoicePostingState | undefined,
  creditNoteId: string,
): BookedCreditNote {
  const note = requireOpenPostingState(book).creditNotes?.[creditNoteId];
  if (note === undefined) throw new Error(`credit note ${creditNoteId} was not issued`);
  return note;
}
