import { Decimal as DecimalJs } from 'decimal.js';

/**
 * The decimal type of the project, with 60 significant digits, so products of prices and quantities stay exact. The type `Decimal` rounds
 * half away from zero, so that a credit cancels its charge to the cent. Never use the constructor of the package `decimal.js` itself,
 * because it rounds to 20 digits.
 */
export const Decimal = DecimalJs.clone({
  precision: 60,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -1_000,
  toExpPos: 1_000,
});
export type Decimal = DecimalJs;

/** A decimal number as text, without an exponent. Events, database rows and state store money and quantities in this text form. */
export type DecimalString = string;

/** No two parts of this pattern can match the same digits, so text that does not match is refused in linear time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
/** The maximum length of a decimal as text. Longer text is refused, because computing with so many digits would be slow. */
const MAX_TEXT = 1_000;

/** Returns a finite decimal from text or a number, or `undefined` if the value is not a finite decimal. */
export function parseDecimal(value: string | number): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return text.length <= MAX_TEXT && DECIMAL.test(text) ? new Decimal(text) : undefined;
}

/** Returns the decimal as text without an exponent and without trailing zeros. */
export function decimalString(value: Decimal): DecimalString {
  return value.isZero() ? '0' : value.toFixed();
}

/** Returns the sum of decimals that are given as text or as `Decimal`. The sum is exact up to 60 significant digits. */
export function sumOf(values: Iterable<Decimal | DecimalString>): Decimal {
  let total = new Decimal(0);
  for (const value of values) total = total.plus(value);
  return total;
}
