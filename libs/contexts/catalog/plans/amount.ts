import { decimalString, decimalFromJson, type DecimalString } from '#libs/kernel/core';

/** The largest amount in a plan, in any currency. The API document quotes it. */
export const MAX_PLAN_AMOUNT = 1e12;
const MAX_DIGITS = 15;

/** The error message for a value that {@link readPlanAmount} does not accept. */
export const PLAN_AMOUNT_ERROR = `must be a number above 0 and at most ${MAX_PLAN_AMOUNT}, with at most ${MAX_DIGITS} digits after the point`;

/** Reads an amount from a parsed request body. The result is undefined if the value is not a valid amount of a plan. */
export function readPlanAmount(value: unknown): DecimalString | undefined {
  const amount = decimalFromJson(value);
  if (!amount || amount.lte(0) || amount.gt(MAX_PLAN_AMOUNT)) return undefined;
  return amount.decimalPlaces() > MAX_DIGITS ? undefined : decimalString(amount);
}
