import { Decimal } from '#libs/kernel/core';
import { rateTier } from './graduated.js';
import type { BaseConfig, PricingModel } from './model.js';
import { readTiers, tierOfQuantity, readUnitAndFlatAmount, writeTiers, type Tier } from './tiers.js';

/** The tier in which the whole quantity ends sets the price of every unit, and adds its own flat amount. */
export interface VolumeConfig extends BaseConfig<'volume'> {
  readonly tiers: readonly Tier[];
}

export const volumeModel: PricingModel<'volume', VolumeConfig> = {
  name: 'volume',
  chargeKind: 'either',
  read: (fields) => ({ tiers: readTiers(fields, readUnitAndFlatAmount) }),
  write: ({ tiers }) => writeTiers(tiers),
  isAdditive: () => false,
  rate({ tiers }, { quantity }) {
    const units = Decimal.max(quantity, 0);
    const rated = rateTier(tierOfQuantity(tiers, units), units);
    return { amount: new Decimal(rated.amount), tiers: [rated] };
  },
};
