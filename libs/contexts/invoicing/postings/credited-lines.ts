import { Decimal, sumOf, type Instant } from '#libs/kernel/core';
import { reduceDeferral, type RecognitionBasis, restoreDeferral } from '#libs/contexts/ledger';
import type {
  UnnumberedCreditNote,
  BookedLine,
  PostedCreditNote,
  ReversedDeferral,
} from './invoice-posting-state.js';
import { creditableAmountOf } from './note-allocations.js';

/** An amount that is posted for a price. */
interface PriceAmount {
  readonly priceId: string | null;
  readonly amount: Decimal;
}

/** The changes that a credit note or its void makes to the lines of an invoice. */
interface LinePostingChanges {
  readonly lines: BookedLine[];
  /** The amounts that a credit note takes from deferred revenue, or that its void returns to deferred revenue. */
  readonly deferred: PriceAmount[];
  /** The amounts that become revenue at the moment of the credit note or of its void, because their time has passed. */
  readonly earned: PriceAmount[];
}

/** Applies a credit note to invoice lines at the instant `at`. `reversed` is the deferred amount of each line that will never be earned. */
export function applyCreditNoteToLines(
  lines: readonly BookedLine[],
  { allocations }: UnnumberedCreditNote,
  at: Instant,
  by: RecognitionBasis,
): LinePostingChanges & { reversed: ReversedDeferral[] } {
  const reversed: ReversedDeferral[] = [];
  const deferred: PriceAmount[] = [];
  const earned: PriceAmount[] = [];
  const after = lines.map((line) => {
    const amount = amountOf(line, allocations);
    if (amount.isZero()) return line;
    const credited = { ...line, credited: amount.plus(line.credited).toFixed() };
    if (line.deferral === undefined) return credited;
    const elsewhere = (line.givenBack ?? []).flatMap(({ deferral }) => deferral ?? []);
    const share = shareOf(amount, creditableAmountOf(line));
    const result = reduceDeferral(line.deferral, share, elsewhere, at, by);
    // A line that is credited in full has no deferral any more, not even a rounding difference.
    if (result.reversed.isZero() && share.lt(1)) return credited;
    const { id: lineId, priceId } = line;
    if (!result.reversed.isZero())
      reversed.push({ lineId, deferral: { ...result.remaining, amount: result.reversed.toFixed() } });
    if (!result.earned.isZero()) earned.push({ priceId, amount: result.earned });
    deferred.push({ priceId, amount: result.reversed.plus(result.earned) });
    return { ...credited, deferral: result.remaining };
  });
  return { lines: after, reversed, deferred, earned };
}

/** Undoes the changes of a credit note to lines, at the instant of its void. */
export function undoCreditNoteOnLines(
  lines: readonly BookedLine[],
  { allocations, reversed }: PostedCreditNote,
  at: Instant,
  by: RecognitionBasis,
): LinePostingChanges {
  const deferred: PriceAmount[] = [];
  const earned: PriceAmount[] = [];
  const after = lines.map((line) => {
    const amount = amountOf(line, allocations);
    const restored = { ...line, credited: new Decimal(line.credited).minus(amount).toFixed() };
    const taken = reversed.find(({ lineId }) => lineId === line.id)?.deferral;
    if (line.deferral === undefined || taken === undefined) return restored;
    const result = restoreDeferral(line.deferral, taken, at, by);
    deferred.push({ priceId: line.priceId, amount: result.deferred });
    earned.push({ priceId: line.priceId, amount: result.earned });
    return { ...restored, deferral: result.remaining };
  });
  return { lines: after, deferred, earned };
}

function amountOf({ id }: BookedLine, allocations: UnnumberedCreditNote['allocations']): Decimal {
  return sumOf(allocations.filter(({ lineId }) => lineId === id).map(({ amount }) => amount));
}

/** The amount to credit, divided by the amount `left` that can still be credited. The result is between 0 and 1. */
function shareOf(amount: Decimal, left: Decimal): Decimal {
  if (left.isZero()) return new Decimal(0);
  return Decimal.max(Decimal.min(amount.dividedBy(left), 1), 0);
}
