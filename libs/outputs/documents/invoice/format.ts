import { Decimal, minorUnitDigits, type DecimalString, type Instant, type Language } from '#libs/kernel/core';
import { wordingOf } from '../languages/index.js';
import { dayFormatter, formatNumber, isSingularIn, timeFormatter } from './formatters.js';

/**
 * Writes numbers and dates as documents print them in a language. Decimals are written exactly, because they are never converted to
 * doubles.
 */
export interface Formats {
  /** Writes `1234.5` in USD as `$1,234.50`, with the digits of the currency's minor unit. */
  readonly money: (amount: DecimalString, currency: string) => string;
  /** Writes an amount with all its digits, and at least those of the currency's minor unit: `1.005` in USD as `$1.005`. */
  readonly exactMoney: (amount: DecimalString, currency: string) => string;
  /**
   * Writes a price per unit with all its digits: `0.0025` in USD as `$0.0025`. A price below a hundredth of the currency's minor unit is
   * written for a million units: `0.0000025` in USD as `$2.50 per 1,000,000`.
   */
  readonly unitPrice: (price: DecimalString, currency: string) => string;
  /** Writes `18059974` as `18,059,974`. */
  readonly quantity: (quantity: DecimalString) => string;
  /** Writes `1.5` as `1.5%`. */
  readonly percentage: (percentage: DecimalString) => string;
  /** Writes the day of an instant in the given time zone, as `16 Nov 2023`. */
  readonly date: (instant: Instant, timeZone: string) => string;
  /** Writes an instant in the given time zone, as `16 November 2023 at 09:30 UTC`. */
  readonly time: (instant: Instant, timeZone: string) => string;
  /**
   * Writes the days of a half-open period, both inclusive: `16 Nov – 15 Dec 2023`. A period that starts and ends at the same instant is one
   * day.
   */
  readonly period: (start: Instant, end: Instant, timeZone: string) => string;
  /** Tells whether a noun after this number is in the singular. */
  readonly isSingular: (count: number | DecimalString) => boolean;
}

/** The maximum number of decimal places that a document shows of a price, a quantity or a percentage. No such number needs more. */
const MAX_DIGITS = 30;

/** The sign of negative numbers. It is as wide as a plus sign, where a hyphen is half as wide. */
const MINUS = '\u2212';

/** A price below a hundredth of the minor unit is written for many units. */
const HUNDREDTH = 100;
const MANY = 1_000_000;

/** The number and date formats of a language. */
export function formatsOf(language: Language): Formats {
  const { locale, period, priceOfMany } = wordingOf(language);
  const exact = (value: DecimalString, options: Intl.NumberFormatOptions) =>
    printable(formatNumber(locale.numbers, value, options)).replace('-', MINUS);
  const exactMoney = (amount: DecimalString, currency: string) =>
    exact(amount, {
      style: 'currency',
      currency,
      minimumFractionDigits: minorUnitDigits(currency),
      maximumFractionDigits: MAX_DIGITS,
    });
  const quantity = (value: DecimalString) => exact(value, { maximumFractionDigits: MAX_DIGITS });
  const days = (timeZone: string) => dayFormatter(locale.dates, timeZone);
  const date = (instant: Instant | number, timeZone: string) =>
    printable(days(timeZone).format(new Date(instant)));
  return {
    money(amount, currency) {
      const digits = minorUnitDigits(currency);
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      return exact(amount, { style: 'currency', currency, ...options });
    },
    exactMoney,
    unitPrice(price, currency) {
      const isTiny = new Decimal(price)
        .abs()
        .times(HUNDREDTH)
        .lt(new Decimal(10).pow(-minorUnitDigits(currency)));
      if (!isTiny || new Decimal(price).isZero()) return exactMoney(price, currency);
      return priceOfMany(
        exactMoney(new Decimal(price).times(MANY).toFixed(), currency),
        quantity(String(MANY)),
      );
    },
    quantity,
    percentage: (percentage) =>
      exact(percentage, { style: 'unit', unit: 'percent', maximumFractionDigits: MAX_DIGITS }),
    date,
    time: (instant, timeZone) => printable(timeFormatter(locale.dates, timeZone).format(new Date(instant))),
    period(start, end, timeZone) {
      const last = Math.max(Date.parse(start), Date.parse(end) - 1);
      if (period === null) return printable(days(timeZone).formatRange(new Date(start), new Date(last)));
      const [from, to] = [date(start, timeZone), date(last, timeZone)];
      return from === to ? from : period(from, to);
    },
    isSingular: (count) => isSingularIn(locale.numbers, Number(count)),
  };
}

/** Replaces the thin spaces that Intl puts around dashes and between thousands. Many fonts do not have thin spaces. */
function printable(text: string): string {
  return text.replaceAll('\u2009', ' ').replaceAll('\u202f', '\u00a0');
}
