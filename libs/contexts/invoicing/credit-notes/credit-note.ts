import { Decimal, NotFound, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import type { CreditNoteAmounts } from '#libs/rating';

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
 * The destination of a credit note's amount. `unpaid`: the credit note reduces the amount due. `balance`: the amount is added to the
 * customer's balance. `refund`: the part that was paid from the balance goes back to the balance. The rest is refunded to the card, as far
 * as the charge of the card can still be refunded. What cannot be refunded goes to the balance.
 */
export const CREDIT_NOTE_TARGETS = ['unpaid', 'balance', 'refund'] as const;
export type CreditNoteTarget = (typeof CREDIT_NOTE_TARGETS)[number];

/**
 * The contents of a credit note, which are fixed at its issue. `unpaid`, `toBalance` and `refunded` sum to the total of the credit note.
 */
export interface CreditNoteDetails extends Omit<CreditNoteAmounts, 'allocations'> {
  /**
   * The net amount of each credited line: see {@link CreditNoteAmounts}. Old credit notes have no allocations; `allocationsOf` computes
   * them.
   */
  allocations?: CreditNoteAmounts['allocations'];
  creditNoteId: string;
  issuedAt: Instant;
  reason: CreditNoteReason;
  /** A user's note about the credit note; null if there is none. Personal data. */
  memo: string | null;
  /** The amount by which the note reduced the amount due. */
  unpaid: DecimalString;
  /** The amount that was added to the customer's balance. */
  toBalance: DecimalString;
  /** The amount that is refunded to the card. */
  refunded: DecimalString;
}

/**
 * The statuses of the refund of a credit note. `none`: the note refunds nothing. `pending`: the payment gateway has not accepted the refund
 * yet. `refused`: the payment gateway refused the refund permanently. `failed`: the refund failed after the payment gateway had accepted
 * it. A credit note whose refund was refused or failed can be voided.
 */
export const REFUND_STATUSES = ['none', 'pending', 'succeeded', 'refused', 'failed'] as const;

/** The state of a credit note, computed from the events of its invoice. */
export interface CreditNote extends CreditNoteDetails {
  /** Null until the note gets its number, shortly after its issue. */
  number: string | null;
  refundStatus: (typeof REFUND_STATUSES)[number];
  /** Why the payment gateway refused the refund, or why the refund failed. Absent if neither happened. */
  refundRefusal?: string;
  /** The part of `refunded` that a refund or a lost dispute at the payment processor has given back. Absent if it is zero. */
  refundCovered?: DecimalString;
  /** True if a part of the refund was made, and another part is owed again. Absent otherwise. */
  refundPartlyMade?: true;
  /** The instant at which the note was voided. Absent if the note is not void. A void credit note gives nothing back. */
  voidedAt?: Instant;
  /** The reason for the void; null if no reason was given. Absent if the note is not void. */
  voidReason?: string | null;
}

/** The statuses of a credit note. A `void` credit note keeps its number, and gives nothing back. */
export const CREDIT_NOTE_STATUSES = ['issued', 'void'] as const;
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

export function creditNoteStatusOf({ voidedAt }: Pick<CreditNote, 'voidedAt'>): CreditNoteStatus {
  return voidedAt === undefined ? 'issued' : 'void';
}

/** The credit notes that are not void. */
export function notVoidedCreditNotes(creditNotes: readonly CreditNote[]): CreditNote[] {
  return creditNotes.filter((note) => creditNoteStatusOf(note) === 'issued');
}

/** The total by which credit notes reduced the amount due. */
export function totalReductionByCreditNotes(creditNotes: readonly CreditNote[]): Decimal {
  return sumOf(notVoidedCreditNotes(creditNotes).map(({ unpaid }) => unpaid));
}

/** The part of a credit note's refund that nothing at the payment processor has given back instead. */
export function refundLeftOf({
  refunded,
  refundCovered = '0',
}: Pick<CreditNote, 'refunded' | 'refundCovered'>): Decimal {
  return new Decimal(refunded).minus(refundCovered);
}

/** Returns the credit note with this id. Throws NotFound if the invoice has no credit note with this id. */
export function requireCreditNote(creditNoteId: string, creditNotes: readonly CreditNote[]): CreditNote {
  const note = creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (!note) throw NotFound.of('credit note', creditNoteId);
  return note;
}
