import { minorUnitDigits, roundToCurrency } from './currency.js';
import { Decimal, type DecimalString } from './decimal.js';
import { InvalidRequest } from './errors.js';

/**
 * Returns the error for an amount of money with more decimal places than its currency has; undefined if the amount is valid. An invoice
 * would round an amount with more decimal places, and show and collect a different amount. Unit prices may have more decimal places, since
 * rounding happens after the multiplication with the quantity.
 */
export function fractionalUnitError(amount: DecimalString, currency: string): string | undefined {
  if (roundToCurrency(new Decimal(amount), currency).eq(amount)) return undefined;
  const digits = minorUnitDigits(currency);
  const remedy = digits === 0 ? 'give a whole number' : `give at most ${digits} digits after the point`;
  return `must not have a fraction of the smallest unit of ${currency}; ${remedy}`;
}

/** Throws InvalidRequest that names the field, if {@link fractionalUnitError} finds an error in the amount. */
export function requireWholeMinorUnits(field: string, amount: DecimalString, currency: string): void {
  const problem = fractionalUnitError(amount, currency);
  if (problem !== undefined) throw InvalidRequest.field(field, problem);
}
