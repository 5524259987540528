import { NotFound, sumOf, type Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { NoteAmounts } from '#libs/rating';

export const CREDIT_NOTE_REASONS = [
  'duplicate',
  'fraudulent',
  'order_change',
  'product_unsatisfactory',
  'service_issue',
  'billing_error',
  'other',
] as const;
export type CreditNoteReason = (typeof CREDIT_NOTE_REASONS)[number];

/**
 * Where a credit note goes. `unpaid`: it lowers what is still to be paid. `balance`: to the customer's balance. `refund`: back
 * to the card, after what the balance had paid of the invoice, which goes back there.
 */
export const CREDIT_NOTE_TARGETS = ['unpaid', 'balance', 'refund'] as const;
export type CreditNoteTarget = (typeof CREDIT_NOTE_TARGETS)[number];

/** What a credit note says, from its issue on. The three amounts sum to its total. */
export interface CreditNoteDetails extends Omit<NoteAmounts, 'allocations'> {
  /** Of which lines it is, net: see {@link NoteAmounts}. Absent on a note that was stored without: see `remainingLines`. */
  allocations?: NoteAmounts['allocations'];
  creditNoteId: string;
  issuedAt: Instant;
  reason: CreditNoteReason;
  memo: string | null;
  /** Taken off what was still to be paid. */
  unpaid: DecimalString;
  /** Added to the customer's balance. */
  toBalance: DecimalString;
  /** Refunded in money. */
  refunded: DecimalString;
}

/** A credit note as the events of its invoice tell. */
export interface CreditNote extends CreditNoteDetails {
  /** Null for the moment between its issue and its place in the sequence. */
  number: string | null;
  refundStatus: 'none' | 'pending' | 'succeeded';
  /** When it was taken back; absent: it was not. A void note gives nothing back. */
  voidedAt?: Instant;
  /** Why it was taken back; null if nobody said. Absent: it was not. */
  voidReason?: string | null;
}

/** `void`: taken back. It keeps its number, and gives nothing back. */
export const CREDIT_NOTE_STATUSES = ['issued', 'void'] as const;
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

export function statusOf({ voidedAt }: Pick<CreditNote, 'voidedAt'>): CreditNoteStatus {
  return voidedAt === undefined ? 'issued' : 'void';
}

/** The notes that give something back: those that are not void. */
export function issuedNotes(creditNotes: readonly CreditNote[]): CreditNote[] {
  return creditNotes.filter((note) => statusOf(note) === 'issued');
}

/** What credit notes have taken off what is to be paid. */
export function creditedUnpaid(creditNotes: readonly CreditNote[]): Decimal {
  return sumOf(issuedNotes(creditNotes).map(({ unpaid }) => unpaid));
}

/** The credit note, or NotFound if the invoice has no such. */
export function requireCreditNote(creditNoteId: string, creditNotes: readonly CreditNote[]): CreditNote {
  const note = creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (!note) throw NotFound.of('credit note', creditNoteId);
  return note;
}
