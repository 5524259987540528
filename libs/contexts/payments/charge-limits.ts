import { Decimal, moneyString, type DecimalString } from '#libs/kernel/core';
import { isAmountRefusal, type AmountRefusal } from '#libs/rating';
import { fromStripeAmount, toStripeAmount } from './stripe/stripe-amounts.js';

/**
 * The smallest amount of a charge in each currency, as Stripe documents it (docs.stripe.com/currencies, "Minimum and maximum charge
 * amounts"). Stripe compares the charge with the minimum of the currency of the seller's bank account, after a conversion. Without a
 * conversion, these minimums are exact. Stripe documents none for other currencies.
 */
const MINIMUMS: Readonly<Record<string, DecimalString>> = {
  AED: '2',
  AUD: '0.5',
  BGN: '1',
  BRL: '0.5',
  CAD: '0.5',
  CHF: '0.5',
  CZK: '15',
  DKK: '2.5',
  EUR: '0.5',
  GBP: '0.3',
  HKD: '4',
  HUF: '175',
  INR: '0.5',
  JPY: '50',
  MXN: '10',
  MYR: '2',
  NOK: '3',
  NZD: '0.5',
  PLN: '2',
  RON: '2',
  SEK: '3',
  SGD: '0.5',
  THB: '10',
  USD: '0.5',
};

/** The largest amount of a charge in Stripe's unit: eight digits (docs.stripe.com/api/payment_intents/object, `amount`). */
const MAXIMUM_IN_STRIPE_UNITS = 99_999_999;

/** Why a payment processor cannot charge an amount. `code` is one of Stripe's, or `amount_not_chargeable`. */
export interface ChargeRefusal {
  readonly code: AmountRefusal;
  readonly message: string;
  /** The smallest or the largest amount that a card can be charged. Absent if it is not known, or if no such limit is the reason. */
  readonly limit?: DecimalString;
}

/** A charge that was made before, and the code of its failure. */
export interface EarlierCharge {
  readonly amount: DecimalString;
  readonly code: string | null;
  readonly message: string | null;
}

/** The smallest amount that a card can be charged in a currency. Undefined if no minimum is known for the currency. */
export function minimumCharge(currency: string): DecimalString | undefined {
  const minimum = MINIMUMS[currency];
  return minimum === undefined ? undefined : moneyString(new Decimal(minimum), currency);
}

/** The largest amount that a card can be charged in a currency. */
export function maximumCharge(currency: string): DecimalString {
  return fromStripeAmount(MAXIMUM_IN_STRIPE_UNITS, currency);
}

/** Tells why no card can be charged an amount, whatever card it is. Undefined if a card can be charged the amount. */
export function refusalOfAmount(amount: DecimalString, currency: string): ChargeRefusal | undefined {
  const minimum = minimumCharge(currency);
  if (minimum !== undefined && new Decimal(amount).lt(minimum))
    return {
      code: 'amount_too_small',
      limit: minimum,
      message: `A card can be charged at least ${minimum} ${currency}.`,
    };
  const maximum = maximumCharge(currency);
  if (new Decimal(amount).gt(maximum))
    return {
      code: 'amount_too_large',
      limit: maximum,
      message: `A card can be charged at most ${maximum} ${currency}.`,
    };
  if (toStripeAmount(amount, currency) === undefined)
    return {
      code: 'amount_not_chargeable',
      message: `Stripe cannot charge exactly ${amount} ${currency}.`,
    };
  return undefined;
}

/**
 * Tells why a workspace can charge no card an amount, as far as it is known before the charge. A sandbox refuses by the documented limits.
 * In a live workspace, the smallest charge depends on the currency of the seller's bank account. There, an amount counts as too small only
 * if the last charge was refused as too small and the amount is not larger. Undefined if a card may be charged the amount.
 */
export function knownRefusalOfAmount(
  amount: DecimalString,
  currency: string,
  isSandbox: boolean,
  lastCharge: EarlierCharge | undefined,
): ChargeRefusal | undefined {
  const documented = refusalOfAmount(amount, currency);
  if (documented && (isSandbox || documented.code !== 'amount_too_small')) return documented;
  return lastCharge && repeatedRefusal(new Decimal(amount), lastCharge);
}

/** The refusal of an earlier charge, if it is one of this amount too. */
function repeatedRefusal(amount: Decimal, { amount: charged, code, message }: EarlierCharge) {
  if (!isAmountRefusal(code)) return undefined;
  const isRefusedToo = {
    amount_too_small: amount.lte(charged),
    amount_too_large: amount.gte(charged),
    amount_not_chargeable: amount.eq(charged),
  }[code];
  return isRefusedToo ? { code, message: message ?? 'The amount cannot be charged.' } : undefined;
}
