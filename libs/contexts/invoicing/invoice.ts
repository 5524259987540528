import { addSeconds, Decimal, moneyString, type DecimalString, type Instant } from '#libs/kernel/core';
import { existing } from '#libs/kernel/domain';
import { appliedCredit } from '#libs/rating';
import { creditedUnpaid, type CreditNote } from './credit-notes/credit-note.js';
import type { ChargedMethod, InvoiceDetails, InvoiceEvent, Opening, RecomputedAmounts } from './events.js';
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
 * The newest attempt, if it waits for the customer; an older one cannot be gone on with, nor one over more than is owed by now: a
 * credit note was issued meanwhile, and the gateway would take what it was asked for.
 */
export function attemptRequiringAction(invoice: Invoice): PaymentAttempt | undefined {
  const last = invoice.attempts.at(-1);
  if (last?.status !== 'requires_action') return undefined;
  return new Decimal(last.amount).eq(amountToPay(invoice)) ? last : undefined;
}

/**
 * What is left to be paid of the total besides what the customer's balance, credit notes and later invoices have taken off it; of a draft,
 * if it were opened with `opening`.
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

export function evolve(state: Invoice | undefined, event: InvoiceEvent): Invoice {
  if (event.type === 'InvoiceCreated') return created(event.data);
  const invoice = existing(state, event);
  switch (event.type) {
    case 'DraftRecomputed': {
      const { lines, total } = event.data;
      return { ...withoutAmounts(invoice), lines, total, ...variableAmounts(event.data) };
    }
    case 'InvoiceOpened': {
      const { at, number, sellerName, dueDate, balanceApplied = invoice.balanceApplied } = event.data;
      return { ...invoice, status: 'open', issuedAt: at, number, sellerName, dueDate, balanceApplied };
    }
    case 'PaymentStarted': {
      const { attemptId, attempt, amount, currency, method, at } = event.data;
      const started: PaymentAttempt = {
        attemptId,
        attempt,
        status: 'pending',
        amount,
        currency,
        method,
        confirmed: false,
        startedAt: at,
        finishedAt: null,
        code: null,
        message: null,
      };
      return { ...invoice, attempts: [...invoice.attempts, started] };
    }
    case 'PaymentActionRequired': {
      const { attemptId, message } = event.data;
      return withAttempt(invoice, attemptId, {
        status: 'requires_action',
        code: 'authentication_required',
        message,
      });
    }
    case 'PaymentConfirmed':
      return withAttempt(invoice, event.data.attemptId, {
        status: 'pending',
        confirmed: true,
        code: null,
        message: null,
      });
    case 'PaymentSucceeded':
      return withAttempt(invoice, event.data.attemptId, { status: 'succeeded', finishedAt: event.data.at });
    case 'PaymentFailed': {
      const { attemptId, at, code, message } = event.data;
      return withAttempt(invoice, attemptId, { status: 'failed', finishedAt: at, code, message });
    }
    case 'InvoicePaid':
      return { ...invoice, status: 'paid', paidAt: event.data.at };
    case 'CreditNoteIssued': {
      const { note } = event.data;
      const refundStatus = new Decimal(note.refunded).isZero() ? 'none' : 'pending';
      return { ...invoice, creditNotes: [...invoice.creditNotes, { ...note, number: null, refundStatus }] };
    }
    case 'CreditNoteNumbered':
      return withCreditNote(invoice, event.data.creditNoteId, { number: event.data.number });
    case 'CreditNoteRefunded':
      return withCreditNote(invoice, event.data.creditNoteId, { refundStatus: 'succeeded' });
    case 'CreditNoteVoided': {
      const { creditNoteId, at: voidedAt, reason: voidReason } = event.data;
      return withCreditNote(invoice, creditNoteId, { voidedAt, voidReason });
    }
    case 'InvoiceLinesGivenBack': {
      const { byInvoiceId, lines, taxes } = event.data;
      const giveBack = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
      return { ...invoice, givenBack: [...invoice.givenBack, giveBack] };
    }
    case 'InvoiceGiveBackReturned': {
      const { byInvoiceId } = event.data;
      return { ...invoice, givenBack: invoice.givenBack.filter((one) => one.byInvoiceId !== byInvoiceId) };
    }
    case 'InvoiceReduced': {
      const { byInvoiceId, amount } = event.data;
      return { ...invoice, reductions: [...invoice.reductions, { byInvoiceId, amount }] };
    }
    case 'PaymentRefundStarted': {
      const { byInvoiceId, amount } = event.data;
      return { ...invoice, refunds: [...invoice.refunds, { byInvoiceId, amount, status: 'pending' }] };
    }
    case 'PaymentRefunded': {
      const { byInvoiceId } = event.data;
      const refunds = invoice.refunds.map((one) =>
        one.byInvoiceId === byInvoiceId ? { ...one, status: 'succeeded' as const } : one,
      );
      return { ...invoice, refunds };
    }
    case 'InvoiceMarkedUncollectible':
      return { ...invoice, status: 'uncollectible' };
    case 'InvoiceVoided':
      return { ...invoice, status: 'void', voidedAt: event.data.at, voidReason: event.data.reason };
  }
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

function created({ at, ...details }: Extract<InvoiceEvent, { type: 'InvoiceCreated' }>['data']): Invoice {
  return {
    ...details,
    status: 'draft',
    createdAt: at,
    number: null,
    sellerName: null,
    balanceApplied: moneyString(new Decimal(0), details.currency),
    issuedAt: null,
    dueDate: dueAfter(details.billedAt, details.settings.netDays),
    paidAt: null,
    voidedAt: null,
    voidReason: null,
    attempts: [],
    creditNotes: [],
    givenBack: [],
    reductions: [],
    refunds: [],
  };
}

function withCreditNote(invoice: Invoice, creditNoteId: string, change: Partial<CreditNote>): Invoice {
  return {
    ...invoice,
    creditNotes: invoice.creditNotes.map((note) =>
      note.creditNoteId === creditNoteId ? { ...note, ...change } : note,
    ),
  };
}

function withAttempt(invoice: Invoice, attemptId: string, change: Partial<PaymentAttempt>): Invoice {
  return {
    ...invoice,
    attempts: invoice.attempts.map((attempt) =>
      attempt.attemptId === attemptId ? { ...attempt, ...change } : attempt,
    ),
  };
}
