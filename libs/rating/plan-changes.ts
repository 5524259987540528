import type { DecimalString, Instant } from '#libs/core';
import { isRecurring } from './cadence.js';
import type { Charge, PriceSnapshot, Refund } from './charges.js';
import { lengthOf, type Period } from './periods.js';
import { remainderOf } from './proration.js';

/** A fee that a change adds or removes, with the full period of it that the change falls into. */
export interface ChangedFee {
  readonly price: PriceSnapshot;
  readonly period: Period;
  /** Absent: one. */
  readonly quantity?: DecimalString;
  /** Of a fee that is removed: what can be given back of it. */
  readonly refund?: Refund;
}

/**
 * What a change at `at` gives back and charges for the rest of the periods that it falls into, each against its own full
 * period: two lines that are rounded by themselves. A fee that is the same on both sides stays as it is. Only recurring fees
 * that are paid in advance are settled here: what is in arrears is billed for its own share when its period ends, usage up to
 * the change by the old price, and a one-time fee is neither given back nor prorated.
 */
export function changeCharges(changes: readonly ChangedFee[], at: Instant): Charge[] {
  return withoutUnchanged(changes.filter(isPrepaid))
    .map((fee) => ({ ...fee, service: remainderOf(fee.period, at) }))
    .filter(({ service }) => lengthOf(service) > 0);
}

/** Each fee that is removed cancels out with one equal fee that is added. */
function withoutUnchanged(changes: readonly ChangedFee[]): ChangedFee[] {
  const unchanged = new Set<ChangedFee>();
  for (const removed of changes.filter(({ refund }) => refund)) {
    const same = changes.find(
      (fee) => !fee.refund && !unchanged.has(fee) && identity(fee) === identity(removed),
    );
    if (same) unchanged.add(removed).add(same);
  }
  return changes.filter((fee) => !unchanged.has(fee));
}

function identity({ price, period, quantity = '1' }: ChangedFee): string {
  return JSON.stringify([price.priceId, price.version, quantity, period.start, period.end]);
}

function isPrepaid({ price: { cadence, timing, metricId } }: ChangedFee): boolean {
  return isRecurring(cadence) && timing === 'in_advance' && metricId === null;
}
