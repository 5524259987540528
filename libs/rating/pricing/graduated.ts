import { Decimal, decimalString, sumOf } from '#libs/kernel/core';
import type { BaseConfig, PricingModel, RatedTier } from './model.js';
import { readTiers, tierOfQuantity, readUnitAndFlatAmount, writeTiers, type Tier } from './tiers.js';

/** Each tier has a price for the units within it, and a flat amount that is added once the tier is reached. */
export interface GraduatedConfig extends BaseConfig<'graduated'> {
  readonly tiers: readonly Tier[];
}

export const graduatedModel: PricingModel<'graduated', GraduatedConfig> = {
  name: 'graduated',
  chargeKind: 'either',
  read: (fields) => ({ tiers: readTiers(fields, readUnitAndFlatAmount) }),
  write: ({ tiers }) => writeTiers(tiers),
  isAdditive: () => false,
  rate({ tiers }, { quantity }) {
    const rated = reachedTiers(tiers, Decimal.max(quantity, 0));
    return { amount: sumOf(rated.map(({ amount }) => amount)), tiers: rated };
  },
};

/** The first tier is always reached, so its flat amount is a base fee. */
function reachedTiers(tiers: readonly Tier[], quantity: Decimal): RatedTier[] {
  const reached = tiers.slice(0, tiers.indexOf(tierOfQuantity(tiers, quantity)) + 1);
  return reached.map((tier, i) => {
    const start = reached[i - 1]?.upTo ?? 0;
    const end = i === reached.length - 1 ? quantity : new Decimal(tier.upTo!);
    return rateTier(tier, end.minus(start));
  });
}

/** Returns the cost of `units` in a tier. */
export function rateTier(tier: Tier, units: Decimal): RatedTier {
  const amount = units.times(tier.unitPrice ?? 0).plus(tier.flatAmount ?? 0);
  return { ...tier, quantity: decimalString(units), amount: decimalString(amount) };
}
