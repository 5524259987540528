import { Decimal, sumOf, type Instant } from '#libs/core';
import type { CreditNoteDetails, InvoiceEvent } from '#libs/invoicing';
import { creditDeferral, type Recognition } from '../deferral.js';
import { credit, debit, type Posting } from '../transaction.js';
import { byPrice } from './by-price.js';
import {
  bookedCreditNote,
  opened,
  receivable,
  withCreditNote,
  type AwaitedCreditNote,
  type BookedLine,
  type InvoiceBook,
} from './invoice-book.js';
import { allocationsOf, leftOf } from './note-allocations.js';
import { releasesAfter } from './releases.js';
import type { PostingRules } from './rule.js';

type CreditNoteEvent = Extract<InvoiceEvent, { type: `CreditNote${string}` }>;

/**
 * A credit note is in the books from when it has its number, as an invoice is, so that nothing stands there that cannot be told
 * apart. It gets it right behind its issue, by which what it gives back and to whom is settled. What of it was not earned by then
 * is taken back from deferred revenue, the rest from revenue.
 */
export const creditNoteRules: PostingRules<CreditNoteEvent, InvoiceBook> = {
  CreditNoteIssued: ({ data: { note, currency } }, { book }) => ({
    book: withCreditNote(book, note.creditNoteId, { awaits: awaitedOf(note, book, currency) }),
  }),
  CreditNoteNumbered({ data: { creditNoteId, number, currency }, metadata: { occurredAt } }, { book }) {
    const note = bookedCreditNote(book, creditNoteId);
    if (!('awaits' in note)) throw new Error(`credit note ${note.number} is numbered twice`);
    const { lines: before = [], timezone } = opened(book);
    const by = { currency, timezone };
    const { lines, reversed, earned } = creditLines(before, note.awaits, occurredAt, by);
    const next = {
      ...withCreditNote(book, creditNoteId, { number }),
      ...(lines.length > 0 ? { lines } : {}),
    };
    const now = {
      timezone,
      description: `Credit note ${number} on invoice ${next.number}`,
      postings: [
        debit('refunds', new Decimal(note.awaits.net).minus(sumOf(reversed.map(({ amount }) => amount)))),
        ...byPrice([...reversed, ...earned]).map(({ priceId, amount }) =>
          debit('deferred_revenue', amount, priceId),
        ),
        ...byPrice(earned).map(({ priceId, amount }) => credit('revenue', amount, priceId)),
        ...note.awaits.postings,
      ],
    };
    if (reversed.length === 0 && earned.length === 0) return { book: next, now };
    return {
      book: next,
      now,
      callsOff: true,
      schedules: releasesAfter(next, lines, occurredAt, currency),
    };
  },
  CreditNoteRefunded({ data: { creditNoteId, amount } }, { book }) {
    const note = bookedCreditNote(book, creditNoteId);
    if ('awaits' in note) throw new Error(`credit note ${creditNoteId} is refunded before it has a number`);
    return {
      book,
      now: {
        timezone: opened(book).timezone,
        description: `Refund of credit note ${note.number} on invoice ${opened(book).number}`,
        postings: [debit('accounts_receivable', amount), credit('cash', amount)],
      },
    };
  },
};

function awaitedOf(
  note: CreditNoteDetails,
  book: InvoiceBook | undefined,
  currency: string,
): AwaitedCreditNote {
  const tax = sumOf(note.taxes.map(({ amount }) => amount));
  const { lines } = opened(book);
  const postings: Posting[] = [
    debit('tax_payable', tax),
    credit(receivable(book), note.unpaid),
    credit('customer_credit', note.toBalance),
    // Owed to the customer until the money is on its way.
    credit('accounts_receivable', note.refunded),
  ];
  return {
    net: new Decimal(note.total).minus(tax).toFixed(),
    allocations: lines === undefined ? [] : allocationsOf(note, lines, currency),
    postings,
  };
}

/** An amount of a price. */
interface PriceAmount {
  readonly priceId: string | null;
  readonly amount: Decimal;
}

/** What the lines are after a credit note, with what it takes back from what is deferred, and what is earned with it. */
function creditLines(
  lines: readonly BookedLine[],
  { allocations }: AwaitedCreditNote,
  at: Instant,
  by: Recognition,
): { lines: BookedLine[]; reversed: PriceAmount[]; earned: PriceAmount[] } {
  const reversed: PriceAmount[] = [];
  const earned: PriceAmount[] = [];
  const after = lines.map((line) => {
    const amount = sumOf(allocations.filter(({ lineId }) => lineId === line.id).map((one) => one.amount));
    if (amount.isZero()) return line;
    const credited = { ...line, credited: amount.plus(line.credited).toFixed() };
    if (line.deferral === undefined) return credited;
    const elsewhere = (line.givenBack ?? []).flatMap(({ deferral }) => deferral ?? []);
    const share = shareOf(amount, leftOf(line));
    const result = creditDeferral(line.deferral, share, elsewhere, at, by);
    // Of a line that is credited in full nothing stays deferred, not even what rounding left there.
    if (result.reversed.isZero() && share.lt(1)) return credited;
    const { priceId } = line;
    if (!result.reversed.isZero()) reversed.push({ priceId, amount: result.reversed });
    if (!result.earned.isZero()) earned.push({ priceId, amount: result.earned });
    return { ...credited, deferral: result.deferral };
  });
  return { lines: after, reversed, earned };
}

/** From 0 to 1: no more of a line is given back than is left. */
function shareOf(amount: Decimal, left: Decimal): Decimal {
  if (left.isZero()) return new Decimal(0);
  return Decimal.max(Decimal.min(amount.dividedBy(left), 1), 0);
}
