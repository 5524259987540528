import { Decimal, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { splitProportionally } from '#libs/contexts/ledger';
import type { CreditNoteDetails } from '../credit-notes/credit-note.js';
import type { LineAllocation, BookedLine } from './invoice-posting-state.js';

/**
 * The amount of each line that a credit note gives back. An old note has no allocations, so they are computed from its line amounts less
 * coupons. If a credit note has neither allocations nor lines, its amount is split over all invoice lines, in proportion to what can still
 * be credited of each line.
 */
export function bookedAllocationsOf(
  note: CreditNoteDetails & { readonly allocations?: readonly LineAllocation[] },
  lines: readonly BookedLine[],
  currency: string,
): LineAllocation[] {
  if (note.allocations) return note.allocations.map(({ lineId, amount }) => ({ lineId, amount }));
  if (note.lines.length > 0)
    return note.lines.flatMap(({ id, amount }) => {
      const line = lines.find((one) => one.id === id);
      return line ? [{ lineId: id, amount: lessCoupons(amount, line, currency).toFixed() }] : [];
    });
  const added = sumOf(note.taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount));
  const shares = splitProportionally(
    new Decimal(note.total).minus(added),
    lines.map(creditableAmountOf),
    currency,
  );
  return lines.map(({ id }, i) => ({ lineId: id, amount: shares[i]!.toFixed() }));
}

/** The amount of a line that credit notes can still give back. */
export function creditableAmountOf({ charged, credited, givenBack = [] }: BookedLine): Decimal {
  return new Decimal(charged).minus(credited).minus(sumOf(givenBack.map(({ amount }) => amount)));
}

function lessCoupons(of: DecimalString, { amount, charged }: BookedLine, currency: string): Decimal {
  if (new Decimal(amount).isZero()) return new Decimal(0);
  return roundToCurrency(new Decimal(of).times(charged).dividedBy(amount), currency);
}
