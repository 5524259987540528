import { Decimal, decimalString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { RatedTier } from './model.js';

/** A quantity, divided into free units and units to be priced. */
export interface DividedQuantity {
  readonly charged: Decimal;
  /** The free units as a tier, if there are any. */
  readonly free: RatedTier[];
}

/** Deducts the first `units` of a quantity, which are free. A quantity below zero (after corrections) stays unchanged. */
export function deductFreeUnits(quantity: Decimal, units: string | undefined): DividedQuantity {
  const free = Decimal.min(Decimal.max(quantity, 0), units ?? 0);
  if (free.isZero()) return { charged: quantity, free: [] };
  const tier: RatedTier = { upTo: units!, quantity: decimalString(free), free: true, amount: '0' };
  return { charged: quantity.minus(free), free: [tier] };
}

/**
 * Divides shared included units among the quantities in proportion. Each share is first rounded down, to as many decimals as the most
 * precise of `units` and the quantities has. What is missing to `units` goes to the shares that lost most by the rounding, one unit of the
 * last decimal each. If two shares lost the same, the earlier one comes first. If the included units cover all quantities, each share is
 * the whole quantity. A quantity below zero (after corrections) gets no share.
 */
export function shareIncludedUnits(quantities: readonly Decimal[], units: DecimalString): DecimalString[] {
  const used = quantities.map((quantity) => Decimal.max(quantity, 0));
  const total = sumOf(used);
  if (total.lte(units)) return used.map(decimalString);
  const digits = Math.max(...[...used, new Decimal(units)].map((one) => one.decimalPlaces()));
  const shares = used.map((quantity, i) => {
    const exact = quantity.times(units).dividedBy(total);
    const cut = exact.toDecimalPlaces(digits, Decimal.ROUND_DOWN);
    return { i, cut, remainder: exact.minus(cut) };
  });
  const step = new Decimal(10).pow(-digits);
  const missing = new Decimal(units)
    .minus(sumOf(shares.map(({ cut }) => cut)))
    .dividedBy(step)
    .toNumber();
  const largest = [...shares].sort((a, b) => b.remainder.comparedTo(a.remainder));
  const raised = new Set(largest.slice(0, missing).map(({ i }) => i));
  return shares.map(({ i, cut }) => decimalString(raised.has(i) ? cut.plus(step) : cut));
}
