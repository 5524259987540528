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
 * Where the amount of a credit note goes. `unpaid`: it reduces the amount due. `balance`: it is added to the customer's balance. `refund`:
 * the part that the balance had paid goes back to the balance, and the rest is refunded to the card.
 */
export const CREDIT_NOTE_TARGETS = ['unpaid', 'balance', 'refund'] as const;
export type CreditNoteTarget = (typeof CREDIT_NOTE_TARGETS)[number];

/** The contents of a credit note from its issue on. `unpaid`, `toBalance` and `refunded` sum to its total. */
export interface CreditNoteDetails extends Omit<NoteAmounts, 'allocations'> {
  /** The net amount of each credited line: see {@link NoteAmounts}. Absent on old notes: see `remainingLines`. */
  allocations?: NoteAmounts['allocations'];
  creditNoteId: string;
  issuedAt: Instant;
  reason: CreditNoteReason;
  memo: string | null;
  /** The amount that was taken off the amount due. */
  unpaid: DecimalString;
  /** The amount that was added to the customer's balance. */
  toBalance: DecimalString;
  /** The amount that is refunded to the card. */
  refunded: DecimalString;
}

/** The state of a credit note, computed from the events of its invoice. */
export interface CreditNote extends CreditNoteDetails {
  /** Null between the issue of the note and the event that numbers it. */
  number: string | null;
  refundStatus: 'none' | 'pending' | 'succeeded';
  /** The instant at which the note was voided; absent if it was not. A void note gives nothing back. */
  voidedAt?: Instant;
  /** Why the note was voided; null if no reason was given. Absent if it was not voided. */
  voidReason?: string | null;
}

/** A `void` credit note keeps its number, and gives nothing back. */
export const CREDIT_NOTE_STATUSES = ['issued', 'void'] as const;
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

export function creditNoteStatusOf({ voidedAt }: Pick<CreditNote, 'voidedAt'>): CreditNoteStatus {
  return voidedAt === undefined ? 'issued' : 'void';
}

/** The credit notes that are not void. */
export function issuedNotes(creditNotes: readonly CreditNote[]): CreditNote[] {
  return creditNotes.filter((note) => creditNoteStatusOf(note) === 'issued');
}

/** The sum that credit notes have taken off the amount due. */
export function unpaidAmountCredited(creditNotes: readonly CreditNote[]): Decimal {
  return sumOf(issuedNotes(creditNotes).map(({ unpaid }) => unpaid));
}

/** The credit note with this id. NotFound if the invoice has none. */
export function requireCreditNote(creditNoteId: string, creditNotes: readonly CreditNote[]): CreditNote {
  const note = creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (!note) throw NotFound.of('credit note', creditNoteId);
  return note;
}
