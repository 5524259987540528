import { Decimal, jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';

/** The price is one amount per period, for any usage. */
export interface FlatConfig extends BaseConfig<'flat'> {
  readonly amount: DecimalString;
}

export const flatModel: PricingModel<'flat', FlatConfig> = {
  name: 'flat',
  chargeKind: 'fee',
  read: (fields) => ({ amount: fields.amount('amount') }),
  write: (config) => ({ amount: jsonNumber(config.amount) }),
  isAdditive: () => false,
  rate: (config) => ({ amount: new Decimal(config.amount) }),
};
