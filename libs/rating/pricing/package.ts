import { Decimal, decimalString, jsonNumbers, type DecimalString } from '#libs/kernel/core';
import { deductFreeUnits } from './included.js';
import type { BaseConfig, PricingModel } from './model.js';

/** Each package of `packageSize` units costs `packagePrice`, even if only a part of it is used. Free units are deducted first. */
export interface PackageConfig extends BaseConfig<'package'> {
  readonly packageSize: DecimalString;
  readonly packagePrice: DecimalString;
  readonly freeUnits?: DecimalString;
}

export const packageModel: PricingModel<'package', PackageConfig> = {
  name: 'package',
  chargeKind: 'either',
  read: (fields) => ({
    packageSize: fields.positiveAmount('packageSize'),
    packagePrice: fields.amount('packagePrice'),
    ...fields.optionalAmounts('freeUnits'),
  }),
  write: ({ packageSize, packagePrice, freeUnits }) => jsonNumbers({ packageSize, packagePrice, freeUnits }),
  isAdditive: () => false,
  rate({ packageSize, packagePrice, freeUnits }, { quantity }) {
    const { charged, free } = deductFreeUnits(Decimal.max(quantity, 0), freeUnits);
    const started = startedPackages(charged, new Decimal(packageSize));
    const amount = started.times(packagePrice);
    const tier = {
      upTo: null,
      quantity: decimalString(charged),
      packages: decimalString(started),
      packageSize,
      packagePrice,
      amount: decimalString(amount),
    };
    return { amount, tiers: [...free, tier] };
  },
};

/** Packages are not counted with a rounded quotient, because rounding could hide a package that was just started. */
function startedPackages(units: Decimal, size: Decimal): Decimal {
  const whole = units.divToInt(size);
  return units.gt(whole.times(size)) ? whole.plus(1) : whole;
}
