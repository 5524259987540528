import { ExactNumber, wrongValue, type FieldError } from '#libs/kernel/core';
import { MONTHS_PER_PERIOD, type MinimumCommitment, type RecurringCadence } from '#libs/rating';
import { invalidFieldsError } from '../details.js';
import { PLAN_AMOUNT_ERROR, readPlanAmount } from './amount.js';

const FIELD = 'minimumCommitment';
const INTERVALS = Object.keys(MONTHS_PER_PERIOD).join(', ');

/**
 * Reads `minimumCommitment` from a parsed request body. It is an amount for each billing period, or `{amount, interval}` for another
 * interval. Null means no commitment. Throws InvalidRequest that names the wrong fields.
 */
export function readMinimumCommitment(input: unknown): MinimumCommitment | null {
  if (input === null) return null;
  if (typeof input !== 'object' || Array.isArray(input) || input instanceof ExactNumber) {
    const amount = readPlanAmount(input);
    if (amount !== undefined) return amount;
    throw invalidFieldsError([
      {
        field: FIELD,
        message: `${PLAN_AMOUNT_ERROR}; or an object such as {"amount": 1200, "interval": "annual"}`,
      },
    ]);
  }
  const { amount: least, interval, ...others } = input as Record<string, unknown>;
  const amount = readPlanAmount(least);
  const isInterval = typeof interval === 'string' && Object.hasOwn(MONTHS_PER_PERIOD, interval);
  const errors: FieldError[] = [
    ...(amount === undefined
      ? [{ field: `${FIELD}.amount`, message: wrongValue(least, PLAN_AMOUNT_ERROR) }]
      : []),
    ...(isInterval
      ? []
      : [{ field: `${FIELD}.interval`, message: wrongValue(interval, `must be one of ${INTERVALS}`) }]),
    ...Object.keys(others).map((other) => ({
      field: `${FIELD}.${other}`,
      message: 'is not a field of this request',
    })),
  ];
  if (amount === undefined || errors.length > 0) throw invalidFieldsError(errors);
  return { amount, interval: interval as RecurringCadence };
}

/**
 * Throws InvalidRequest if the interval of the commitment is shorter than the billing interval of the prices. Such an interval would end
 * before the subscription is invoiced.
 */
export function requireCommitmentIntervalFits(
  commitment: MinimumCommitment | null,
  billingInterval: RecurringCadence,
): void {
  if (doesCommitmentIntervalFit(commitment, billingInterval)) return;
  throw invalidFieldsError([
    {
      field: `${FIELD}.interval`,
      message: `must not be shorter than the billing interval, which the prices make ${billingInterval}`,
    },
  ]);
}

/** Tells whether the interval of the commitment is at least as long as the billing interval. A commitment without an interval fits. */
export function doesCommitmentIntervalFit(
  commitment: MinimumCommitment | null,
  billingInterval: RecurringCadence,
): boolean {
  if (commitment === null || typeof commitment === 'string') return true;
  return MONTHS_PER_PERIOD[commitment.interval] >= MONTHS_PER_PERIOD[billingInterval];
}
