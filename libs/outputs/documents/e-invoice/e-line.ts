import {
  Decimal,
  minorUnitDigits,
  moneyString,
  roundToCurrency,
  type DecimalString,
} from '#libs/kernel/core';
import type { ELine } from './e-invoice.js';

/** The quantity of a line. `unitPrice` is present only if the unit price does not include tax. */
export interface LineQuantity {
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
}

/**
 * Finds a quantity and a price whose product is `amount` after rounding to the currency's minor unit. EN 16931 has no tiers and no negative
 * price (BR-27). If the line has no unit price, or if quantity and unit price do not give `amount`, the price is the amount for the whole
 * quantity. A line that gives an amount back has a negative quantity. A price with more decimal places than its currency has is given for
 * ten, a hundred or more units, so that fewer places are needed. Many programs read only as many decimal places as the currency has.
 */
export function quantityAndPrice(
  { quantity, unitPrice }: LineQuantity,
  amount: Decimal,
  currency: string,
): Pick<ELine, 'quantity' | 'price' | 'baseQuantity'> {
  const size = amount.abs();
  const counted = new Decimal(quantity).abs();
  const number = counted.isZero() && !size.isZero() ? new Decimal(1) : counted;
  const signed = (amount.isNegative() && !amount.isZero() ? number.negated() : number).toFixed();
  const price = unitPrice === undefined ? null : new Decimal(unitPrice);
  const isProduct =
    price !== null && !price.isNegative() && roundToCurrency(number.times(price), currency).eq(size);
  if (!isProduct) {
    const baseQuantity = number.isZero() ? '1' : number.toFixed();
    return { quantity: signed, price: moneyString(size, currency), baseQuantity };
  }
  const base = new Decimal(10).pow(Math.max(0, price.decimalPlaces() - minorUnitDigits(currency)));
  return {
    quantity: signed,
    price: moneyString(price.times(base), currency),
    baseQuantity: base.toFixed(),
  };
}
