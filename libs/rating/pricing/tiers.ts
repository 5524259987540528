import { Decimal, jsonNumber, jsonNumbers, type DecimalString } from '#libs/kernel/core';
import type { PresentedModelFields } from './model.js';
import type { PriceConfigReader } from './price-config-reader.js';

/** A tier of a price. A quantity belongs to the first tier whose upper bound is at or above the quantity. */
export interface Tier {
  /** The last unit, inclusive. Null for the last tier, which has no upper bound. */
  readonly upTo: DecimalString | null;
  readonly unitPrice?: DecimalString;
  readonly flatAmount?: DecimalString;
}

export const MAX_TIERS = 100;

/**
 * Reads `tiers`. The upper bounds of tiers must increase, and the last tier must have no upper bound. The function `price` reads the prices
 * of each tier.
 */
export function readTiers(
  fields: PriceConfigReader,
  price: (tier: PriceConfigReader) => Omit<Tier, 'upTo'>,
): Tier[] {
  const readers = fields.list('tiers', 1, MAX_TIERS);
  const tiers = readers.map((reader) => ({ upTo: reader.tierBound('upTo'), ...price(reader) }));
  readers.forEach((reader, i) => {
    if (!reader.hasNoError('upTo')) return;
    const { upTo } = tiers[i]!;
    const before = tiers[i - 1]?.upTo;
    if (i === tiers.length - 1) {
      if (upTo !== null) reader.addError('upTo', 'must be null: the last tier is open');
    } else if (upTo === null) reader.addError('upTo', 'must be a number: only the last tier is open');
    else if (typeof before === 'string' && new Decimal(upTo).lte(before))
      reader.addError('upTo', `must be above ${before}, the end of the tier before`);
  });
  return tiers;
}

/** Reads the prices of a tier: a price per unit, an amount for the tier, or both. */
export function readUnitAndFlatAmount(tier: PriceConfigReader): Omit<Tier, 'upTo'> {
  const prices = tier.optionalAmounts('unitPrice', 'flatAmount');
  if (prices.unitPrice === undefined && prices.flatAmount === undefined)
    tier.addError('unitPrice', 'is required: a decimal number, unless there is a flatAmount');
  return prices;
}

/** Converts tiers to JSON. */
export function writeTiers(tiers: readonly Tier[]): Pick<PresentedModelFields, 'tiers'> {
  return {
    tiers: tiers.map(({ upTo, unitPrice, flatAmount }) => ({
      upTo: upTo === null ? null : jsonNumber(upTo),
      ...jsonNumbers({ unitPrice, flatAmount }),
    })),
  };
}

/** The tier in which the quantity ends. A quantity above the bound of a tier, by however little, is in the next tier. */
export function tierOfQuantity(tiers: readonly Tier[], quantity: Decimal): Tier {
  return tiers.find(({ upTo }) => upTo === null || quantity.lte(upTo))!;
}
