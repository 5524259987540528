import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { BaseConfig, PricingModel } from './model.js';

/**
 * The price of one seat of a license type. The seats of a period are the largest number of licenses that were active at one time. A seat
 * that is added within a period is prorated. A freed seat is charged until the end of the period.
 */
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
