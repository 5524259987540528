import { Decimal as DecimalJs } from 'decimal.js';

/**
 * The decimal type of the project, with 60 significant digits, so products of prices and quantities stay exact. It rounds half away from
 * zero, so a credit cancels its charge to the cent. Never use the global constructor.
 */
export const Decimal = DecimalJs.clone({
  precision: 60,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -1_000,
  toExpPos: 1_000,
});
export type Decimal = DecimalJs;

/** A decimal number as text, without an exponent. Events, rows and state store money and quantities in this form. */
export type DecimalString = string;

/** No two parts of the pattern can match the same digits. So text that does not match is refused in linear time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
/** Longer text is never a valid number here, and calculating with it would take long. */
const MAX_TEXT = 1_000;

/** A finite decimal from text or a number, or `undefined` if it is not one. */
export function parseDecimal(value: string | number): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return text.length <= MAX_TEXT && DECIMAL.test(text) ? new Decimal(text) : undefined;
}

/** The decimal written without an exponent and without trailing zeros. */
export function decimalString(value: Decimal): DecimalString {
  return value.isZero() ? '0' : value.toFixed();
}

/** The exact sum of decimals given as text or as decimals. */
export function sumOf(values: Iterable<Decimal | DecimalString>): Decimal {
  let total = new Decimal(0);
  for (const value of values) total = total.plus(value);
  return total;
}
