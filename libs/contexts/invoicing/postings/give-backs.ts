import { Decimal, laterOf, roundToCurrency, type DecimalString, type Instant } from '#libs/kernel/core';
import type { PostingRules } from '#libs/contexts/ledger';
import type { InvoiceEvent } from '../events.js';
import {
  requireOpenPostingState,
  type BookedGiveBack,
  type BookedLine,
  type RecordedGiveBack,
  type InvoicePostingState,
} from './invoice-posting-state.js';

type GiveBackEvent = Extract<InvoiceEvent, { type: 'InvoiceLinesGivenBack' | 'InvoiceGiveBackReturned' }>;

/**
 * The later invoice posts the amounts that it gives back, so these rules post nothing. The later invoice takes the amounts from deferred
 * revenue, because a give-back is for the time after that invoice. The posting rules only record the give-back, because it reduces the
 * amount that later credit notes can take from the lines. If a give-back is recorded on a draft, it takes effect when the draft is opened.
 */
export const giveBackPostingRules: PostingRules<GiveBackEvent, InvoicePostingState> = {
  InvoiceLinesGivenBack: (
    { data: { byInvoiceId, lines, currency }, metadata: { occurredAt: at } },
    { book },
  ) => {
    const giveBack = { byInvoiceId, lines, at };
    if (book?.status === 'draft')
      return { book: { ...book, giveBacks: [...(book.giveBacks ?? []), giveBack] } };
    return { book: withLines(book, (line) => addGiveBackToLine(line, giveBack, currency)) };
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

/** Adds a give-back of a later invoice to a line. A line that the give-back does not contain is returned unchanged. */
export function addGiveBackToLine(
  line: BookedLine,
  { byInvoiceId, lines, at }: RecordedGiveBack,
  currency: string,
): BookedLine {
  const amount = lines.find(({ lineId }) => lineId === line.id)?.amount;
  if (amount === undefined) return line;
  const deferral = deferralOf(line, amount, at, currency);
  const giveBack = { byInvoiceId, amount, ...(deferral === undefined ? {} : { deferral }) };
  return { ...line, givenBack: [...(line.givenBack ?? []), giveBack] };
}

function withLines(
  book: InvoicePostingState | undefined,
  change: (line: BookedLine) => BookedLine,
): InvoicePostingState {
  const open = requireOpenPostingState(book);
  return open.lines === undefined ? open : { ...open, lines: open.lines.map(change) };
}

/**
 * The deferred amount that a give-back takes from a line. The deferred amount of a give-back contains no inclusive taxes, and covers the
 * time after `at`.
 */
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
