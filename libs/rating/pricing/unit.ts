import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';

/** Every unit costs the same. */
export interface UnitConfig extends BaseConfig<'unit'> {
  readonly unitPrice: DecimalString;
}

export const unitModel: PricingModel<'unit', UnitConfig> = {
  name: 'unit',
  chargeKind: 'either',
  read: (fields) => ({ unitPrice: fields.amount('unitPrice') }),
  write: (config) => ({ unitPrice: jsonNumber(config.unitPrice) }),
  isAdditive: () => true,
  rate: ({ unitPrice }, { quantity }) => ({ amount: quantity.times(unitPrice), unitPrice }),
};
