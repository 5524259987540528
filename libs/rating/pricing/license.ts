import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';

/** The price of one seat of a license type. Each active license of the customer is a seat. A change of the number of seats is prorated. */
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
