import { Decimal, laterOf, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import {
  creditPosting,
  debitPosting,
  splitIntoEarnedParts,
  type Posting,
  type PostingRules,
  NO_POSTINGS,
} from '#libs/contexts/ledger';
import type { InvoiceDetails, InvoiceEvent } from '../events.js';
import type { CoveredRefund } from '../give-backs/give-back.js';
import { timezoneOfDates, type AppliedTax, type InvoiceLine, type LineType } from '#libs/rating';
import { sumByPrice } from './sum-by-price.js';
import { inclusiveTaxesByLine } from './inclusive-taxes.js';
import { creditNotePostingRules } from './credit-notes.js';
import { recordedPaymentPostingRules } from './recorded-payments.js';
import { giveBackPostingRules, addGiveBackToLine } from './give-backs.js';
import {
  bookingFieldsOf,
  requireOpenPostingState,
  receivableAccount,
  type LineWithRevenue,
  type BookedLine,
  type InvoicePostingState,
} from './invoice-posting-state.js';
import { revenueReleases, type DeferredPart } from './releases.js';

/**
 * The time at which the revenue of an invoice line is earned. Usage and one-time charges are already delivered when they are billed. A fee
 * is earned as its period passes. The period of a fee can begin before the invoice is opened and end later. Prepaid credits are earned when
 * they are used; the posting rules of wallets post this revenue.
 */
const EARNED_WHEN: Readonly<Record<LineType, 'when billed' | 'over its period' | 'when used'>> = {
  usage: 'when billed',
  one_time: 'when billed',
  flat: 'over its period',
  credit: 'over its period',
  minimum: 'when billed',
  // If the item was delivered at once, its period is a single instant.
  manual: 'over its period',
  // The period of late usage is before the invoice.
  late_usage: 'when billed',
  // The usage was already earned when the earlier invoice charged it.
  progressive_credit: 'when billed',
  credit_purchase: 'when used',
  overage: 'when billed',
};

/**
 * The posting rules of invoices. Nothing is posted before a draft is opened, because a draft is not owed yet. A successful payment is
 * posted to cash.
 */
export const invoicePostingRules: PostingRules<InvoiceEvent, InvoicePostingState> = {
  InvoiceCreated: ({ data }) => ({ book: draftOf(data, timezoneOfDates(data)) }),
  DraftRecomputed({ data }, { book }) {
    if (book?.status !== 'draft') throw new Error('the draft is computed again without having been created');
    const { giveBacks } = book;
    return { book: { ...draftOf(data, book.timezone), ...(giveBacks ? { giveBacks } : {}) } };
  },
  InvoiceOpened({ data, metadata }, { book }) {
    if (book?.status !== 'draft') throw new Error('the invoice is opened without a draft');
    const { number, currency, total, balanceApplied = '0', balanceCredited = '0' } = data;
    const { occurredAt } = metadata;
    const { timezone } = book;
    const isCreditPurchase = ({ type }: LineWithRevenue) => EARNED_WHEN[type] === 'when used';
    const credits = book.lines.filter(isCreditPurchase);
    const others = book.lines.filter((line) => !isCreditPurchase(line));
    const prepaid = sumOf(credits.map(({ net }) => net)).toFixed();
    const parts = others.flatMap((line) => revenuePartsOf(line, currency, timezone));
    const earned = parts.filter(({ at }) => at === null || at <= occurredAt);
    const deferred = parts.filter((part): part is DeferredPart => part.at !== null && part.at > occurredAt);
    const lines = (book.giveBacks ?? []).reduce(
      (booked, giveBack) => booked.map((line) => addGiveBackToLine(line, giveBack, currency)),
      book.lines.map((line) => bookedLine(line, occurredAt)),
    );
    return {
      book: {
        status: 'open',
        number,
        timezone,
        charged: sumByPrice(parts),
        fromBalance: balanceApplied,
        taxes: book.taxes,
        ...(credits.length === 0 ? {} : { prepaid }),
        ...(deferred.length === 0 ? {} : { lines }),
      },
      now: {
        ...bookingFieldsOf({ timezone, number }),
        description: `Invoice ${number}`,
        postings: [
          debitPosting('accounts_receivable', new Decimal(total).minus(balanceApplied)),
          debitPosting('customer_credit', balanceApplied),
          ...sumByPrice(earned).map(({ priceId, amount }) => creditPosting('revenue', amount, priceId)),
          ...sumByPrice(deferred).map(({ priceId, amount }) =>
            creditPosting('deferred_revenue', amount, priceId),
          ),
          creditPosting('prepaid_credits', prepaid),
          ...book.taxes.map(({ taxRateId, amount }) => creditPosting('tax_payable', amount, taxRateId)),
          creditPosting('customer_credit', balanceCredited),
        ],
      },
      schedules: revenueReleases({ number, timezone }, deferred),
    };
  },
  PaymentStarted: NO_POSTINGS,
  PaymentActionRequired: NO_POSTINGS,
  PaymentConfirmed: NO_POSTINGS,
  PaymentSucceeded: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Payment of invoice ${requireOpenPostingState(book).number}`,
      postings: [debitPosting('cash', amount), creditPosting(receivableAccount(book), amount)],
    },
  }),
  PaymentFailed: NO_POSTINGS,
  PaymentRetrySkipped: NO_POSTINGS,
  PaymentRetriesEnded: NO_POSTINGS,
  // `PaymentSucceeded` or `PaymentRecorded` has already posted the payment. An invoice with nothing to pay needs no posting.
  InvoicePaid: NO_POSTINGS,
  ...recordedPaymentPostingRules,
  ...creditNotePostingRules,
  ...giveBackPostingRules,
  // The opening of the later invoice has already credited the amount to customer credit.
  InvoiceReduced: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Invoice ${requireOpenPostingState(book).number} reduced by what a later invoice gave back`,
      postings: [debitPosting('customer_credit', amount), creditPosting(receivableAccount(book), amount)],
    },
  }),
  // The amount is owed to the customer until the refund is made, as it is with the refund of a credit note.
  PaymentRefundStarted: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Refund of invoice ${requireOpenPostingState(book).number} for what a later invoice gave back`,
      postings: [debitPosting('customer_credit', amount), creditPosting('accounts_receivable', amount)],
    },
  }),
  PaymentRefunded: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Invoice ${requireOpenPostingState(book).number} refunded for what a later invoice gave back`,
      postings: [debitPosting('accounts_receivable', amount), creditPosting('cash', amount)],
    },
  }),
  // The amount goes to the customer's balance instead.
  PaymentRefundRefused: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Refund of invoice ${requireOpenPostingState(book).number} refused by the payment processor`,
      postings: [debitPosting('accounts_receivable', amount), creditPosting('customer_credit', amount)],
    },
  }),
  // The money is back, and the amount goes to the customer's balance instead.
  PaymentRefundFailed: ({ data: { amount } }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Refund of invoice ${requireOpenPostingState(book).number} failed at the payment processor`,
      postings: [debitPosting('cash', amount), creditPosting('customer_credit', amount)],
    },
  }),
  // Nothing is posted until the bank decides, because the seller may keep the money.
  PaymentDisputed: NO_POSTINGS,
  // The service was delivered and its revenue stays. So a lost payment is a loss, like an invoice that nobody pays.
  // A void invoice has no payment to lose. Its disputed or refunded charge was not needed, and was never posted.
  PaymentDisputeClosed: ({ data: { amount, status, covers } }, { book }) =>
    book && status === 'lost'
      ? {
          book,
          now: {
            ...bookingFieldsOf(requireOpenPostingState(book)),
            description: `Dispute of the payment of invoice ${requireOpenPostingState(book).number} lost`,
            postings: returnPostings('bad_debt', amount, covers),
          },
        }
      : { book },
  GatewayRefundFound: ({ data: { amount, covers } }, { book }) =>
    book
      ? {
          book,
          now: {
            ...bookingFieldsOf(requireOpenPostingState(book)),
            description: `Invoice ${requireOpenPostingState(book).number} refunded at the payment processor`,
            postings: returnPostings('refunds', amount, covers),
          },
        }
      : { book },
  // The money was given back twice, and the second time was posted to refunds or bad debt.
  ReturnedMoneyTakenBack: ({ data: { amount, cause, refundFailed } }, { book }) =>
    book && !refundFailed
      ? {
          book,
          now: {
            ...bookingFieldsOf(requireOpenPostingState(book)),
            description: `Taken off the balance: invoice ${requireOpenPostingState(book).number} was given back twice`,
            postings: [
              debitPosting('customer_credit', amount),
              creditPosting(cause === 'dispute' ? 'bad_debt' : 'refunds', amount),
            ],
          },
        }
      : { book },
  GatewayRefundFailed: ({ data: { amount, unneeded, owedAgain = '0', toBalance = '0' } }, { book }) =>
    // A charge that the invoice did not need was never posted, so nothing is posted for its refund.
    unneeded || !book
      ? { book }
      : {
          book,
          now: {
            ...bookingFieldsOf(requireOpenPostingState(book)),
            description: `Refund of invoice ${requireOpenPostingState(book).number} failed at the payment processor`,
            postings: [
              debitPosting('cash', amount),
              creditPosting('accounts_receivable', owedAgain),
              creditPosting('customer_credit', toBalance),
              creditPosting('refunds', new Decimal(amount).minus(owedAgain).minus(toBalance)),
            ],
          },
        },
  InvoiceMarkedUncollectible: ({ data: { amount } }, { book }) => ({
    book: { ...requireOpenPostingState(book), writtenOff: true },
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Invoice ${requireOpenPostingState(book).number} written off`,
      postings: [debitPosting('bad_debt', amount), creditPosting('accounts_receivable', amount)],
    },
  }),
  InvoiceVoided({ data }, { book, scheduled }) {
    if (book?.status !== 'open') return { book: undefined };
    const unearned = scheduled.flatMap(({ postings }) =>
      postings.flatMap(({ account, detail: priceId, amount }) =>
        account === 'deferred_revenue' ? [{ priceId, amount }] : [],
      ),
    );
    const deferred = new Map(sumByPrice(unearned).map(({ priceId, amount }) => [priceId, amount]));
    return {
      book: undefined,
      now: {
        ...bookingFieldsOf(book),
        description: `Invoice ${book.number} voided`,
        postings: [
          creditPosting(receivableAccount(book), new Decimal(data.total).minus(book.fromBalance)),
          creditPosting('customer_credit', book.fromBalance),
          ...book.charged.flatMap(({ priceId, amount }) => {
            const rest = deferred.get(priceId) ?? '0';
            return [
              debitPosting('revenue', new Decimal(amount).minus(rest), priceId),
              debitPosting('deferred_revenue', rest, priceId),
            ];
          }),
          debitPosting('prepaid_credits', book.prepaid ?? '0'),
          ...book.taxes.map(({ taxRateId, amount }) => debitPosting('tax_payable', amount, taxRateId)),
        ],
      },
      cancelsScheduled: true,
    };
  },
};

/**
 * The postings of money that went back at the payment processor. The part that took the place of refunds of ours was owed to the customer,
 * and their documents have posted what it was given back for.
 */
function returnPostings(
  account: 'refunds' | 'bad_debt',
  amount: DecimalString,
  covers: readonly CoveredRefund[] = [],
): Posting[] {
  const owed = sumOf(covers.map((cover) => cover.amount));
  return [
    debitPosting(account, new Decimal(amount).minus(owed)),
    debitPosting('accounts_receivable', owed),
    creditPosting('cash', amount),
  ];
}

function draftOf(
  { lines, taxes = [], currency }: Pick<InvoiceDetails, 'lines' | 'taxes' | 'currency'>,
  timezone: string,
): InvoicePostingState {
  return {
    status: 'draft',
    lines: linesWithRevenue(lines, taxes, currency),
    taxes: taxes.map(({ taxRateId, amount }) => ({ taxRateId, amount })),
    timezone,
  };
}

/**
 * The lines with their revenue, which is the amount without discounts and inclusive taxes. An inclusive tax is rounded once for the whole
 * invoice. Each inclusive tax is therefore split over the lines that contain it, and the shares sum to the tax.
 */
export function linesWithRevenue(
  lines: readonly InvoiceLine[],
  taxes: readonly AppliedTax[] = [],
  currency: string,
): LineWithRevenue[] {
  const charged = lines.map(({ amount, discount = '0' }) => new Decimal(amount).minus(discount));
  const shares = inclusiveTaxesByLine(lines, charged, taxes, currency);
  return lines.map(({ id, type, priceId, amount, periodStart, periodEnd }, i) => ({
    id,
    type,
    priceId,
    amount,
    periodStart,
    periodEnd,
    charged: charged[i]!.toFixed(),
    net: charged[i]!.minus(shares[i]!).toFixed(),
  }));
}

/** A line with the fields that are needed to post credit notes. A line has no deferral if it was fully earned at the invoice's opening. */
function bookedLine(
  { id, type, priceId, amount, charged, net, periodStart: start, periodEnd: end }: LineWithRevenue,
  openedAt: Instant,
): BookedLine {
  const line = { id, priceId, amount, charged, net, credited: '0' };
  if (EARNED_WHEN[type] !== 'over its period' || laterOf(start, end) <= openedAt) return line;
  return { ...line, deferral: { start, end, amount: net } };
}

/** A part of a line's revenue. `at` is the instant at which the part is earned; null if it is earned when it is billed. */
interface Part {
  readonly priceId: string | null;
  readonly amount: DecimalString | Decimal;
  readonly at: Instant | null;
}

/** Splits the revenue of a line into parts, one for each instant at which a part is earned. */
export function revenuePartsOf(
  { type, priceId, net, periodStart, periodEnd }: LineWithRevenue,
  currency: string,
  timezone: string,
): Part[] {
  if (EARNED_WHEN[type] === 'when billed') return [{ priceId, amount: net, at: null }];
  return splitIntoEarnedParts(net, { start: periodStart, end: periodEnd }, currency, timezone).map(
    (part) => ({
      priceId,
      ...part,
    }),
  );
}
