import { jsonNumber, type DecimalString } from '#libs/core';
import type { BaseConfig, PricingModel } from './model.js';

/** Every unit costs the same. */
export interface UnitConfig extends BaseConfig<'unit'> {
  readonly unitPrice: DecimalString;
}

export const unit: PricingModel<'unit', UnitConfig> = {
  name: 'unit',
  metered: true,
  read: (fields) => ({ unitPrice: fields.amount('unitPrice') }),
  write: (config) => ({ unitPrice: jsonNumber(config.unitPrice) }),
  rate: (config, quantity) => ({ amount: quantity.times(config.unitPrice), unitPrice: config.unitPrice }),
};
