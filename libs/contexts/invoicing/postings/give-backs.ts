import { Decimal, laterOf, roundToCurrency, type DecimalString, type Instant } from '#libs/kernel/core';
import type { PostingRules } from '#libs/contexts/ledger';
import type { InvoiceEvent } from '../events.js';
import {
  opened,
  type BookedGiveBack,
  type BookedLine,
  type GiveBackOfDraft,
  type InvoiceBook,
} from './invoice-book.js';

type GiveBackEvent = Extract<InvoiceEvent, { type: 'InvoiceLinesGivenBack' | 'InvoiceGiveBackReturned' }>;

/**
 * A later invoice posts itself what it gives back of this one. It is the value of future time, and leaves deferred revenue there. So later
 * credit notes find less of it here. Of a draft it counts from its opening on.
 */
export const giveBackRules: PostingRules<GiveBackEvent, InvoiceBook> = {
  InvoiceLinesGivenBack: (
    { data: { byInvoiceId, lines, currency }, metadata: { occurredAt: at } },
    { book },
  ) => {
    const giveBack = { byInvoiceId, lines, at };
    if (book?.status === 'draft')
      return { book: { ...book, giveBacks: [...(book.giveBacks ?? []), giveBack] } };
    return { book: withLines(book, (line) => withGiveBack(line, giveBack, currency)) };
  },
  InvoiceGiveBackReturned: ({ data: { byInvoiceId } }, { book }) => {
    const isOther = (one: { readonly byInvoiceId: string }) => one.byInvoiceId !== byInvoiceId;
    if (book?.status === 'draft') {
      const { giveBacks, ...draft } = book;
      const rest = giveBacks?.filter(isOther) ?? [];
      return { book: rest.length === 0 ? draft : { ...draft, giveBacks: rest } };
    }
    return {
      book: withLines(book, ({ givenBack, ...line }) => {
        const rest = (givenBack ?? []).filter(isOther);
        return rest.length === 0 ? line : { ...line, givenBack: rest };
      }),
    };
  },
};

/** A line with what a later invoice gives back of it; as it is if that is nothing. */
export function withGiveBack(
  line: BookedLine,
  { byInvoiceId, lines, at }: GiveBackOfDraft,
  currency: string,
): BookedLine {
  const amount = lines.find(({ lineId }) => lineId === line.id)?.amount;
  if (amount === undefined) return line;
  const deferral = deferralOf(line, amount, at, currency);
  const giveBack = { byInvoiceId, amount, ...(deferral === undefined ? {} : { deferral }) };
  return { ...line, givenBack: [...(line.givenBack ?? []), giveBack] };
}

function withLines(book: InvoiceBook | undefined, change: (line: BookedLine) => BookedLine): InvoiceBook {
  const open = opened(book);
  return open.lines === undefined ? open : { ...open, lines: open.lines.map(change) };
}

/** What is given back of a line without the taxes that it contains, from then on. */
function deferralOf(
  { charged, net, deferral }: BookedLine,
  amount: DecimalString,
  at: Instant,
  currency: string,
): BookedGiveBack['deferral'] {
  if (deferral === undefined || new Decimal(charged).isZero()) return undefined;
  const { start, end } = deferral;
  const withoutTaxes = roundToCurrency(new Decimal(amount).times(net).dividedBy(charged), currency);
  return { start: laterOf(start, at), end, amount: withoutTaxes.toFixed() };
}
