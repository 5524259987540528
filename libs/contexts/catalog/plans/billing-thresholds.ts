import { ExactNumber, jsonNumber, wrongValue, type DecimalString, type FieldError } from '#libs/kernel/core';
import { invalidFieldsError } from '../details.js';
import { PLAN_AMOUNT_ERROR, readPlanAmount } from './amount.js';

/** The threshold at which usage is invoiced before its period ends. The name follows Stripe's `billing_thresholds.amount_gte`. */
export interface BillingThresholds {
  /** Usage that is not yet invoiced is invoiced as soon as it reaches this amount, in the currency of the prices. */
  amountGte: DecimalString;
}

/**
 * Reads `billingThresholds` from a parsed request body: `{amountGte}`, or null for no threshold. Throws InvalidRequest that names the wrong
 * field.
 */
export function readBillingThresholds(input: unknown): BillingThresholds | null {
  if (input === null) return null;
  const field = 'billingThresholds';
  if (typeof input !== 'object' || Array.isArray(input) || input instanceof ExactNumber)
    throw invalidFieldsError([
      { field, message: 'must be an object such as {"amountGte": 500}, or null for none' },
    ]);
  const { amountGte, ...others } = input as Record<string, unknown>;
  const errors: FieldError[] = Object.keys(others).map((other) => ({
    field: `${field}.${other}`,
    message: 'is not a field of this request',
  }));
  const amount = readPlanAmount(amountGte);
  if (amount === undefined)
    errors.push({ field: `${field}.amountGte`, message: wrongValue(amountGte, PLAN_AMOUNT_ERROR) });
  if (amount === undefined || errors.length > 0) throw invalidFieldsError(errors);
  return { amountGte: amount };
}

/** Converts billing thresholds to their form in the API. */
export function presentBillingThresholds(thresholds: BillingThresholds | null) {
  return thresholds === null ? null : { amountGte: jsonNumber(thresholds.amountGte) };
}
