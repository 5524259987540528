import { Decimal, type DecimalString } from './decimal.js';

/**
 * The minor-unit exponents of ISO 4217 currencies whose exponent is not 2. Funds codes, metals and testing codes (XAU, XTS, …) are omitted,
 * because no invoice can be in them.
 */
const EXPONENTS: Readonly<Record<string, number>> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
};

const TWO_DIGITS =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC ' +
  'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
  'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD ' +
  'NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
  'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG';

const KNOWN = new Map<string, number>([
  ...TWO_DIGITS.split(' ').map((code) => [code, 2] as const),
  ...Object.entries(EXPONENTS),
]);

/** Tells whether `code` is a three-letter ISO 4217 code, in upper case, of a currency that can be charged. */
export function isCurrency(code: string): boolean {
  return KNOWN.has(code);
}

/** The number of digits after the decimal point of a currency. Throws an error if the currency code is not in ISO 4217. */
export function minorUnitDigits(currency: string): number {
  const digits = KNOWN.get(currency);
  if (digits === undefined) throw new RangeError(`"${currency}" is not an ISO 4217 currency code`);
  return digits;
}

/**
 * Rounds `amount` half away from zero to the minor unit of `currency`. The amount of an invoice line is rounded only once, by this
 * function.
 */
export function roundToCurrency(amount: Decimal, currency: string): Decimal {
  return amount.toDecimalPlaces(minorUnitDigits(currency), Decimal.ROUND_HALF_UP);
}

/** Returns the amount as text with exactly the currency's number of decimals: `20` in USD is `20.00`. */
export function moneyString(amount: Decimal, currency: string): DecimalString {
  const rounded = roundToCurrency(amount, currency);
  // A negative amount that rounds to zero is returned without its sign.
  return (rounded.isZero() ? rounded.abs() : rounded).toFixed(minorUnitDigits(currency));
}
