import { addSeconds, Decimal, moneyString, type DecimalString, type Instant } from '#libs/kernel/core';
import { appliedCredit } from '#libs/rating';
import { creditedUnpaid, type CreditNote } from './credit-notes/credit-note.js';
import type { ChargedMethod, InvoiceDetails, Opening, RecomputedAmounts } from './events.js';
import { reducedBy, type GiveBack, type PaymentRefund, type Reduction } from './give-backs/give-back.js';

/** `uncollectible`: written off, but it can still be paid. */
export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** One try to charge a card. `pending` until it is known what became of it. */
export interface PaymentAttempt {
  attemptId: string;
  /** From 1. */
  attempt: number;
  status: 'pending' | 'succeeded' | 'failed' | 'requires_action';
  amount: DecimalString;
  currency: string;
  method: ChargedMethod;
  /** The customer has done what the bank wanted. */
  confirmed: boolean;
  startedAt: Instant;
  finishedAt: Instant | null;
  /** Why it did not succeed: `code` for programs, `message` for people. */
  code: string | null;
  message: string | null;
}

/** An invoice as its events tell. */
export interface Invoice extends InvoiceDetails {
  status: InvoiceStatus;
  createdAt: Instant;
  /** Given at opening; a draft has none. */
  number: string | null;
  sellerName: string | null;
  /** What the customer's balance paid of the total as it was opened. */
  balanceApplied: DecimalString;
  issuedAt: Instant | null;
  /** A draft's is what it would be if it were opened when it was billed. */
  dueDate: Instant;
  paidAt: Instant | null;
  voidedAt: Instant | null;
  voidReason: string | null;
  attempts: PaymentAttempt[];
  /** In the order of their issue. */
  creditNotes: CreditNote[];
  /** What later invoices gave back of it, in their order. */
  givenBack: GiveBack[];
  /** What of that was taken off what is to be paid, in their order. */
  reductions: Reduction[];
  /** What of its payment is refunded for later invoices, in their order. */
  refunds: PaymentRefund[];
}

/** The attempt that is under way, if any: while there is one, the invoice can be neither charged again nor voided. */
export function pendingAttempt(invoice: Invoice): PaymentAttempt | undefined {
  return invoice.attempts.find(({ status }) => status === 'pending');
}

/**
 * The newest attempt, if it waits for the customer. An older one cannot go on. Nor can one over more than is owed by now: a credit note was
 * issued meanwhile, and the gateway would take the full amount.
 */
export function attemptRequiringAction(invoice: Invoice): PaymentAttempt | undefined {
  const last = invoice.attempts.at(-1);
  if (last?.status !== 'requires_action') return undefined;
  return new Decimal(last.amount).eq(amountToPay(invoice)) ? last : undefined;
}

/**
 * What is left to be paid of the total, after the customer's balance, credit notes and later invoices. For a draft: if it were opened with
 * `opening`.
 */
export function amountToPay(invoice: Invoice, opening: Opening | null = null): DecimalString {
  const applied = opening ? balanceUsed(invoice, opening) : invoice.balanceApplied;
  return moneyString(
    new Decimal(invoice.total)
      .minus(applied)
      .minus(creditedUnpaid(invoice.creditNotes))
      .minus(reducedBy(invoice.reductions)),
    invoice.currency,
  );
}

/** What a draft uses of the balance that it is opened with: at most what it owes. */
export function balanceUsed({ total, currency }: Invoice, { balance = '0' }: Opening): DecimalString {
  return moneyString(appliedCredit(balance, total), currency);
}

/** `days` of 24 hours after `from`: when payment is due. */
export function dueAfter(from: Instant, days: number): Instant {
  return addSeconds(from, days * 86_400);
}

/** What only some invoices have of what a draft can be computed again to. */
export function variableAmounts({
  parts,
  readings,
  lateReadings,
  lookBack,
  commitment,
  lateCommitments,
  discounts,
  taxes,
  taxRateIds,
  excess,
}: Omit<RecomputedAmounts, 'lines' | 'total'>): Omit<RecomputedAmounts, 'lines' | 'total'> {
  return {
    ...(parts ? { parts } : {}),
    ...(readings ? { readings } : {}),
    ...(lateReadings ? { lateReadings } : {}),
    ...(lookBack ? { lookBack } : {}),
    ...(commitment ? { commitment } : {}),
    ...(lateCommitments ? { lateCommitments } : {}),
    ...(discounts ? { discounts } : {}),
    ...(taxes ? { taxes } : {}),
    ...(taxRateIds ? { taxRateIds } : {}),
    ...(excess === undefined ? {} : { excess }),
  };
}

/** An invoice without that. */
export function withoutAmounts<T extends RecomputedAmounts>(
  invoice: T,
): Omit<T, Exclude<keyof RecomputedAmounts, 'lines' | 'total'>> {
  const {
    readings: _,
    lateReadings: __,
    lookBack: ___,
    commitment: ____,
    lateCommitments: _____,
    discounts: ______,
    taxes: _______,
    excess: ________,
    parts: _________,
    taxRateIds: __________,
    ...rest
  } = invoice;
  return rest;
}

/** Whether an amount is zero. */
export function isNothing(amount: DecimalString): boolean {
  return new Decimal(amount).isZero();
}
