import { Decimal, sumOf, type DecimalString, type Instant } from '#libs/core';
import type { InvoiceDetails, InvoiceEvent } from '#libs/invoicing';
import type { AppliedTax, InvoiceLine, LineType } from '#libs/rating';
import { earnedEvenly } from '../recognition.js';
import { shareOut } from '../share-out.js';
import { credit, debit } from '../transaction.js';
import { creditNoteRules } from './credit-notes.js';
import { opened, receivable, type BilledLine, type InvoiceBook } from './invoice-book.js';
import { WITHOUT_EFFECT, type PostingRules, type ScheduledBooking } from './rule.js';

/**
 * When a line is earned. What was used, or is charged once, has been delivered when it is billed; a fee is earned as its
 * period passes, of which a part may lie behind the invoice's opening and a part before it.
 */
const EARNED: Readonly<Record<LineType, 'when billed' | 'over its period'>> = {
  usage: 'when billed',
  one_time: 'when billed',
  flat: 'over its period',
  credit: 'over its period',
  minimum: 'when billed',
  // Its period is an instant, if it was delivered at once.
  manual: 'over its period',
  // Its period lies behind the invoice.
  late_usage: 'when billed',
  // It was earned when it was invoiced.
  progressive_credit: 'when billed',
};

/** A draft is no claim on anybody: nothing is posted before it is opened. A payment's success is what moves cash. */
export const invoiceRules: PostingRules<InvoiceEvent, InvoiceBook> = {
  InvoiceCreated: ({ data }) => ({ book: draftOf(data) }),
  DraftRecomputed: ({ data }) => ({ book: draftOf(data) }),
  InvoiceOpened({ data, metadata }, { book }) {
    if (book?.status !== 'draft') throw new Error('the invoice is opened without a draft');
    const { number, currency, total, balanceApplied = '0', balanceCredited = '0' } = data;
    const parts = book.lines.flatMap((line) => partsOf(line, currency));
    const earned = parts.filter(({ at }) => at === null || at <= metadata.occurredAt);
    const deferred = parts.filter(({ at }) => at !== null && at > metadata.occurredAt);
    return {
      book: { status: 'open', number, charged: byPrice(parts), fromBalance: balanceApplied, tax: book.tax },
      now: {
        description: `Invoice ${number}`,
        postings: [
          debit('accounts_receivable', new Decimal(total).minus(balanceApplied)),
          debit('customer_credit', balanceApplied),
          ...byPrice(earned).map(({ priceId, amount }) => credit('revenue', amount, priceId)),
          ...byPrice(deferred).map(({ priceId, amount }) => credit('deferred_revenue', amount, priceId)),
          credit('tax_payable', book.tax),
          credit('customer_credit', balanceCredited),
        ],
      },
      schedules: releases(number, deferred),
    };
  },
  PaymentStarted: WITHOUT_EFFECT,
  PaymentActionRequired: WITHOUT_EFFECT,
  PaymentConfirmed: WITHOUT_EFFECT,
  PaymentSucceeded: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      description: `Payment of invoice ${opened(book).number}`,
      postings: [debit('cash', amount), credit(receivable(book), amount)],
    },
  }),
  PaymentFailed: WITHOUT_EFFECT,
  // What paid it has been posted; an invoice over nothing is paid by nothing.
  InvoicePaid: WITHOUT_EFFECT,
  ...creditNoteRules,
  // The invoice that gives back posts it.
  InvoiceLinesGivenBack: WITHOUT_EFFECT,
  InvoiceGiveBackReturned: WITHOUT_EFFECT,
  // The opening of the invoice that gives back has put it on the customer's credit.
  InvoiceReduced: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      description: `Invoice ${opened(book).number} reduced by what a later invoice gave back`,
      postings: [debit('customer_credit', amount), credit(receivable(book), amount)],
    },
  }),
  InvoiceMarkedUncollectible: ({ data: { amount } }, { book }) => ({
    book: { ...opened(book), writtenOff: true },
    now: {
      description: `Invoice ${opened(book).number} written off`,
      postings: [debit('bad_debt', amount), credit('accounts_receivable', amount)],
    },
  }),
  InvoiceVoided({ data }, { book, scheduled }) {
    if (book?.status !== 'open') return { book: undefined };
    const unearned = scheduled.flatMap(({ postings }) =>
      postings.filter(({ account }) => account === 'deferred_revenue'),
    );
    const deferred = new Map(byPrice(unearned).map(({ priceId, amount }) => [priceId, amount]));
    return {
      book: undefined,
      now: {
        description: `Invoice ${book.number} voided`,
        postings: [
          credit(receivable(book), new Decimal(data.total).minus(book.fromBalance)),
          credit('customer_credit', book.fromBalance),
          ...book.charged.flatMap(({ priceId, amount }) => {
            const rest = deferred.get(priceId) ?? '0';
            return [
              debit('revenue', new Decimal(amount).minus(rest), priceId),
              debit('deferred_revenue', rest, priceId),
            ];
          }),
          debit('tax_payable', book.tax),
        ],
      },
      callsOff: true,
    };
  },
};

function draftOf({
  lines,
  taxes = [],
  currency,
}: Pick<InvoiceDetails, 'lines' | 'taxes' | 'currency'>): InvoiceBook {
  const tax = sumOf(taxes.map(({ amount }) => amount)).toFixed();
  return { status: 'draft', lines: netLines(lines, taxes, currency), tax };
}

/**
 * What is earned of each line: without what coupons took off it, and without the taxes that it contains. An inclusive tax is
 * rounded once for the whole invoice, so it is spread over the lines such that the shares add up to it.
 */
function netLines(
  lines: readonly InvoiceLine[],
  taxes: readonly AppliedTax[] = [],
  currency: string,
): BilledLine[] {
  const contained = sumOf(taxes.filter(({ inclusive }) => inclusive).map(({ amount }) => amount));
  const charged = lines.map(({ amount, discount = '0' }) => new Decimal(amount).minus(discount));
  const shares = shareOut(contained, charged, currency);
  return lines.map(({ type, priceId, periodStart, periodEnd }, i) => {
    const amount = charged[i]!.minus(shares[i]!).toFixed();
    return { type, priceId, amount, periodStart, periodEnd };
  });
}

/** A part of what is charged for a price; `at` is null for what is earned when it is billed. */
interface Part {
  readonly priceId: string | null;
  readonly amount: DecimalString | Decimal;
  readonly at: Instant | null;
}

function partsOf({ type, priceId, amount, periodStart, periodEnd }: BilledLine, currency: string): Part[] {
  if (EARNED[type] === 'when billed') return [{ priceId, amount, at: null }];
  return earnedEvenly(amount, { start: periodStart, end: periodEnd }, currency).map((part) => ({
    priceId,
    ...part,
  }));
}

/** What moves deferred revenue to revenue, a booking for each moment at which something is earned. */
function releases(number: string, deferred: readonly Part[]): ScheduledBooking[] {
  const byMoment = Map.groupBy(deferred, ({ at }) => at!);
  return [...byMoment.keys()].sort().map((at) => ({
    at,
    description: `Invoice ${number}, earned through ${at.slice(0, 10)}`,
    postings: byPrice(byMoment.get(at)!).flatMap(({ priceId, amount }) => [
      debit('deferred_revenue', amount, priceId),
      credit('revenue', amount, priceId),
    ]),
  }));
}

/** The sum for each price, in the order of the first of each. */
function byPrice<Id extends string | null>(
  parts: readonly { priceId: Id; amount: DecimalString | Decimal }[],
): { priceId: Id; amount: DecimalString }[] {
  return [...Map.groupBy(parts, ({ priceId }) => priceId)].map(([priceId, ofPrice]) => ({
    priceId,
    amount: sumOf(ofPrice.map(({ amount }) => amount)).toFixed(),
  }));
}
