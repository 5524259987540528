import { minorUnitDigits, type DecimalString, type Instant } from '#libs/core';

/*
 * Numbers and dates as documents print them: in English, dates with the month's name so that nobody takes 03/04 for
 * another day, and decimals digit by digit, since they never become doubles.
 */

/** More digits than any price has. */
const MAX_DIGITS = 30;

/** `1234.5` in USD as `$1,234.50`, with the digits of the currency's minor unit. */
export function formatMoney(amount: DecimalString, currency: string): string {
  const digits = minorUnitDigits(currency);
  return exact(
    { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits },
    amount,
  );
}

/** A price per unit: like money, with every digit that it has. `0.0000025` in USD as `$0.0000025`. */
export function formatUnitPrice(price: DecimalString, currency: string): string {
  const minimumFractionDigits = minorUnitDigits(currency);
  return exact(
    { style: 'currency', currency, minimumFractionDigits, maximumFractionDigits: MAX_DIGITS },
    price,
  );
}

/** `18059974` as `18,059,974`. */
export function formatQuantity(quantity: DecimalString): string {
  return exact({ maximumFractionDigits: MAX_DIGITS }, quantity);
}

/** The day in the given time zone: `16 Nov 2023`. */
export function formatDate(instant: Instant, timeZone: string): string {
  return dayFormat(timeZone).format(new Date(instant));
}

/** The days of a half-open period, both inclusive: `16 Nov – 15 Dec 2023`. A single instant is its day. */
export function formatPeriod(start: Instant, end: Instant, timeZone: string): string {
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  // Thin spaces, which the range formatter puts around the dash, are missing from many fonts.
  return dayFormat(timeZone).formatRange(new Date(start), new Date(last)).replaceAll('\u2009', ' ');
}

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
}

/** Intl reads decimal text exactly; its type wants to know that the text is a number. */
function exact(options: Intl.NumberFormatOptions, value: DecimalString): string {
  return new Intl.NumberFormat('en', options).format(value as `${number}`);
}
