import { Decimal, decimalString } from '#libs/core';
import type { RatedTier } from './model.js';

/** A quantity parted into the units that cost nothing and those to be priced. */
export interface Parted {
  readonly charged: Decimal;
  /** The free units as a tier, if there are any. */
  readonly free: RatedTier[];
}

/** Takes the first `units` of a quantity off. What corrections make negative stays as it is. */
export function withoutFree(quantity: Decimal, units: string | undefined): Parted {
  const free = Decimal.min(Decimal.max(quantity, 0), units ?? 0);
  if (free.isZero()) return { charged: quantity, free: [] };
  const tier: RatedTier = { upTo: units!, quantity: decimalString(free), free: true, amount: '0' };
  return { charged: quantity.minus(free), free: [tier] };
}
