import { Decimal, decimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';
import { readTiers, tierOfQuantity, writeTiers, type Tier } from './tiers.js';

/** A stairstep price costs only the flat amount of the tier in which the quantity ends, not the sum of all tiers. */
export interface StairstepConfig extends BaseConfig<'stairstep'> {
  readonly tiers: readonly Tier[];
}

export const stairstepModel: PricingModel<'stairstep', StairstepConfig> = {
  name: 'stairstep',
  chargeKind: 'either',
  read: (fields) => ({ tiers: readTiers(fields, (tier) => ({ flatAmount: tier.amount('flatAmount') })) }),
  write: ({ tiers }) => writeTiers(tiers),
  isAdditive: () => false,
  rate({ tiers }, { quantity }) {
    const units = Decimal.max(quantity, 0);
    const { upTo, flatAmount = '0' } = tierOfQuantity(tiers, units);
    const step = { upTo, quantity: decimalString(units), flatAmount, amount: flatAmount };
    return { amount: new Decimal(flatAmount), tiers: [step] };
  },
};
