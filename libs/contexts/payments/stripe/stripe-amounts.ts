import { Decimal, moneyString, type DecimalString } from '#libs/kernel/core';

/** The currencies whose amounts Stripe takes in whole units (docs.stripe.com/currencies, "Zero-decimal currencies"). */
const ZERO_DECIMAL: ReadonlySet<string> = new Set([
  'BIF',
  'CLP',
  'DJF',
  'GNF',
  'JPY',
  'KMF',
  'KRW',
  'MGA',
  'PYG',
  'RWF',
  'VND',
  'VUV',
  'XAF',
  'XOF',
  'XPF',
]);

/**
 * The currencies whose amounts Stripe takes in thousandths. The last digit of an amount in thousandths must be zero
 * (docs.stripe.com/currencies, "Three-decimal currencies").
 */
const THREE_DECIMAL: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** The currencies without a minor unit whose amounts Stripe takes in hundredths (docs.stripe.com/currencies, "Special cases"). */
const WHOLE_UNITS_IN_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX']);

/**
 * Converts an amount to the whole number that Stripe's API takes. Returns undefined if Stripe cannot charge exactly this amount; for
 * example, 5.125 KWD would have to be rounded.
 */
export function toStripeAmount(amount: DecimalString, currency: string): number | undefined {
  const value = new Decimal(amount);
  if (WHOLE_UNITS_IN_HUNDREDTHS.has(currency) && !value.isInteger()) return undefined;
  const scaled = value.times(factorOf(currency));
  if (!scaled.isInteger() || !Number.isSafeInteger(scaled.toNumber())) return undefined;
  if (THREE_DECIMAL.has(currency) && !scaled.mod(10).isZero()) return undefined;
  return scaled.toNumber();
}

/** Converts an amount of Stripe's API to an amount in units of the currency. The currency code can be in upper or lower case. */
export function fromStripeAmount(amount: number, currency: string): DecimalString {
  const code = currency.toUpperCase();
  return moneyString(new Decimal(amount).div(factorOf(code)), code);
}

function factorOf(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 1;
  return THREE_DECIMAL.has(currency) ? 1_000 : 100;
}
