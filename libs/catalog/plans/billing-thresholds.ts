import {
  decimalString,
  ExactNumber,
  jsonNumber,
  parseDecimal,
  type DecimalString,
  type FieldError,
} from '#libs/core';
import { invalidFields } from '../details.js';

/** When usage is invoiced before its period is over. Named as Stripe names it: `billing_thresholds.amount_gte`. */
export interface BillingThresholds {
  /** Usage that is not invoiced yet and comes to this much, in the currency of the prices, is invoiced at once. */
  amountGte: DecimalString;
}

const MAX_AMOUNT = 1e12;
const MOST_DIGITS = 15;

/** Reads `billingThresholds` from a parsed request body: `{amountGte}`, or null for none. InvalidRequest names what is wrong. */
export function readBillingThresholds(input: unknown): BillingThresholds | null {
  if (input === null) return null;
  const field = 'billingThresholds';
  if (typeof input !== 'object' || Array.isArray(input) || input instanceof ExactNumber)
    throw invalidFields([
      { field, message: 'must be an object such as {"amountGte": 500}, or null for none' },
    ]);
  const { amountGte, ...others } = input as Record<string, unknown>;
  const errors: FieldError[] = Object.keys(others).map((other) => ({
    field: `${field}.${other}`,
    message: 'is not a field of this request',
  }));
  const amount = readAmount(amountGte);
  if (amount === undefined)
    errors.push({
      field: `${field}.amountGte`,
      message: `must be a number above 0 and at most ${MAX_AMOUNT}, with at most ${MOST_DIGITS} digits after the point`,
    });
  if (amount === undefined || errors.length > 0) throw invalidFields(errors);
  return { amountGte: amount };
}

/** Thresholds as the API shows them. */
export function presentBillingThresholds(thresholds: BillingThresholds | null) {
  return thresholds === null ? null : { amountGte: jsonNumber(thresholds.amountGte) };
}

function readAmount(value: unknown): DecimalString | undefined {
  const text = value instanceof ExactNumber ? value.text : typeof value === 'number' ? value : undefined;
  const amount = text === undefined ? undefined : parseDecimal(text);
  if (!amount || amount.lte(0) || amount.gt(MAX_AMOUNT)) return undefined;
  return amount.decimalPlaces() > MOST_DIGITS ? undefined : decimalString(amount);
}
