import type { FieldError, NameTranslations } from '#libs/kernel/core';
import { invalidFieldsError } from '../details.js';
import type { PlanVisibility } from './events.js';

/**
 * The fields of a plan in a request. The simple fields of this request are already checked, but the lists of prices and features are not.
 */
export interface PlanInput {
  name: string;
  nameTranslations?: NameTranslations | null;
  description?: string | null;
  prices: unknown;
  features?: unknown;
  trialDays?: number;
  visibility?: PlanVisibility;
  /** The input for {@link readMinimumCommitment}. */
  minimumCommitment?: unknown;
  /** The input for {@link readBillingThresholds}. */
  billingThresholds?: unknown;
}

/** The maximum number of prices of one plan. */
export const MAX_PRICES = 50;

/** The longest trial of a plan or a subscription, in days. */
export const MAX_TRIAL_DAYS = 730;

const ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/**
 * Reads a plan's `prices`: each is an object with `priceId`, or a bare price id. Throws InvalidRequest that names every wrong or repeated
 * element.
 */
export function readPriceIds(input: unknown): string[] {
  if (!Array.isArray(input) || input.length < 1 || input.length > MAX_PRICES)
    throw invalidFieldsError([
      {
        field: 'prices',
        message: `must be a list of 1 to ${MAX_PRICES} prices, each {"priceId": "…"} or the id alone`,
      },
    ]);
  const errors: FieldError[] = [];
  const priceIds = input.map((element: unknown, index) => readPriceId(element, `prices[${index}]`, errors));
  priceIds.forEach((priceId, index) => {
    if (priceId !== undefined && priceIds.indexOf(priceId) < index)
      errors.push({ field: `prices[${index}]`, message: `must not repeat the price "${priceId}"` });
  });
  if (errors.length > 0) throw invalidFieldsError(errors);
  return priceIds as string[];
}

function readPriceId(element: unknown, field: string, errors: FieldError[]): string | undefined {
  if (typeof element === 'string') {
    if (ID.test(element)) return element;
    errors.push({ field, message: 'must be a price id' });
    return undefined;
  }
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    errors.push({ field, message: 'must be an object with priceId, or a price id' });
    return undefined;
  }
  const { priceId, ...others } = element as Record<string, unknown>;
  for (const other of Object.keys(others))
    errors.push({ field: `${field}.${other}`, message: 'is not a field of this request' });
  if (typeof priceId === 'string' && ID.test(priceId)) return priceId;
  errors.push({
    field: `${field}.priceId`,
    message: priceId === undefined ? 'is required: a price id' : 'must be a price id',
  });
  return undefined;
}
