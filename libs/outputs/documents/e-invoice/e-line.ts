import {
  Decimal,
  minorUnitDigits,
  moneyString,
  roundToCurrency,
  type DecimalString,
} from '#libs/kernel/core';
import type { ELine } from './e-invoice.js';

/** What a line is over: `unitPrice` only where it is without tax. */
export interface Counted {
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
}

/**
 * Quantity and price of a line over `amount`, so that they come to it exactly. The norm has no tiers and no negative price (BR-27). Without
 * a single price, the price is the amount for the whole quantity. A give-back has a negative quantity. A price of more digits than the
 * currency has is for ten, a hundred or more units: many programs read no more digits.
 */
export function quantityAndPrice(
  { quantity, unitPrice }: Counted,
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
