import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';

/** A seat of a license type. The customer's active licenses are the seats. A change of seats is prorated. */
export interface LicenseConfig extends BaseConfig<'license'> {
  readonly unitPrice: DecimalString;
}

export const licenseModel: PricingModel<'license', LicenseConfig> = {
  name: 'license',
  chargeKind: 'fee',
  read: (fields) => ({ unitPrice: fields.amount('unitPrice') }),
  write: (config) => ({ unitPrice: jsonNumber(config.unitPrice) }),
  isAdditive: () => true,
  rate: ({ unitPrice }, { quantity }) => ({ amount: quantity.times(unitPrice), unitPrice }),
};
