import {
  decimalString,
  ExactNumber,
  jsonNumber,
  SINGLE_LINE_TEXT,
  decimalFromJson,
  type DecimalString,
  type FieldError,
  wrongValue,
} from '#libs/kernel/core';
import { invalidFieldsError } from '../details.js';

/** The types of features. A `boolean` feature is either in a plan or not. A `numeric` feature can be used up to a limit. */
export const FEATURE_TYPES = ['boolean', 'numeric'] as const;
export type FeatureType = (typeof FEATURE_TYPES)[number];

/**
 * The times at which the consumption of a feature starts again at zero. With `period`, the consumption starts again at zero in each billing
 * period. With `never`, the consumption is measured since the start of the subscription.
 */
export const FEATURE_RESETS = ['period', 'never'] as const;
export type FeatureReset = (typeof FEATURE_RESETS)[number];

/** A feature that a plan lets its subscribers use. */
export interface PlanFeature {
  /** The id of the feature, which the workspace chooses. A feature has the same id in every plan. */
  featureId: string;
  name: string;
  type: FeatureType;
  /** The limit of a numeric feature; null if there is no limit. Null for a boolean feature. */
  limit: DecimalString | null;
  /** The metric that measures the consumption of a numeric feature; absent if nothing measures it. */
  metricId?: string;
  /** The times at which the measured consumption starts again at zero. Absent without a metric. */
  resets?: FeatureReset;
}

/** The maximum number of features of one plan. */
export const MAX_FEATURES = 100;

const FIELDS = ['featureId', 'name', 'type', 'limit', 'metricId', 'resets'];
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/;
const MAX_NAME = 200;
const MAX_LIMIT = 1e15;

/** The limits of the fields of a feature in a plan. The API document quotes them. */
export const FEATURE_FIELD_LIMITS = { id: ID.source, nameLength: MAX_NAME, limitBelow: MAX_LIMIT } as const;

/**
 * Reads a plan's `features` from a request: each is `{featureId, name?, type?, limit?, metricId?, resets?}`. The default name of a feature
 * is its id. The default type of a feature is numeric if it has a limit or a metric, and otherwise boolean. Throws InvalidRequest that
 * names every wrong field, including repeated ids.
 */
export function readFeatures(input: unknown): PlanFeature[] {
  if (!Array.isArray(input) || input.length > MAX_FEATURES)
    throw invalidFieldsError([
      {
        field: 'features',
        message: `must be a list of at most ${MAX_FEATURES} features, each {"featureId": "…", "type": "numeric", "limit": 5}`,
      },
    ]);
  const errors: FieldError[] = [];
  const features = input.map((element: unknown, index) => readFeature(element, `features[${index}]`, errors));
  const ids = features.map(({ featureId }) => featureId);
  ids.forEach((featureId, index) => {
    if (featureId !== '' && ids.indexOf(featureId) < index)
      errors.push({ field: `features[${index}].featureId`, message: `must not repeat "${featureId}"` });
  });
  if (errors.length > 0) throw invalidFieldsError(errors);
  return features;
}

/** Reads one feature. A wrong field is added to `errors` and replaced by a valid value, so that one pass finds every error. */
function readFeature(element: unknown, field: string, errors: FieldError[]): PlanFeature {
  const refuse = (name: string, message: string) => errors.push({ field: `${field}.${name}`, message });
  if (
    typeof element !== 'object' ||
    element === null ||
    Array.isArray(element) ||
    element instanceof ExactNumber
  ) {
    errors.push({ field, message: 'must be an object with featureId' });
    return { featureId: '', name: '', type: 'boolean', limit: null };
  }
  const { featureId, name, type, limit, metricId = null, resets = null } = element as Record<string, unknown>;
  for (const other of Object.keys(element).filter((one) => !FIELDS.includes(one)))
    refuse(other, 'is not a field of this request');
  if (typeof featureId !== 'string' || !ID.test(featureId))
    refuse('featureId', wrongValue(featureId, 'must be 1 to 128 letters, digits or _ . : -'));
  if (name !== undefined && !isName(name))
    refuse(
      'name',
      `must be text of 1 to ${MAX_NAME} characters on one line, without marks that turn its direction`,
    );
  if (type !== undefined && !FEATURE_TYPES.includes(type as FeatureType))
    refuse('type', `must be one of ${FEATURE_TYPES.join(', ')}`);
  const cap = readLimit(limit, (message) => refuse('limit', message));
  if (type === 'boolean' && cap !== null)
    refuse('limit', 'is only for a numeric feature; leave it out of a boolean one');
  if (metricId !== null && (typeof metricId !== 'string' || !ID.test(metricId)))
    refuse('metricId', 'must be the id of a metric');
  if (metricId !== null && type === 'boolean')
    refuse('metricId', 'is only for a numeric feature; leave it out of a boolean one');
  if (resets !== null && !FEATURE_RESETS.includes(resets as FeatureReset))
    refuse('resets', `must be one of ${FEATURE_RESETS.join(', ')}`);
  if (resets !== null && metricId === null) refuse('resets', 'is only for a feature with a metricId');
  return {
    featureId: typeof featureId === 'string' ? featureId : '',
    name: typeof name === 'string' ? name : String(featureId),
    type: (type as FeatureType | undefined) ?? (cap === null && metricId === null ? 'boolean' : 'numeric'),
    limit: cap,
    ...(metricId === null
      ? {}
      : { metricId: metricId as string, resets: (resets as FeatureReset | null) ?? 'period' }),
  };
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= MAX_NAME &&
    SINGLE_LINE_TEXT.test(value)
  );
}

function readLimit(limit: unknown, refuse: (message: string) => void): DecimalString | null {
  if (limit === undefined || limit === null) return null;
  const decimal = decimalFromJson(limit);
  if (decimal && !decimal.isNegative() && decimal.lt(MAX_LIMIT) && decimal.decimalPlaces() <= 15)
    return decimalString(decimal);
  refuse(
    'must be a number that is not negative, with at most 15 digits before and after the point, or null for no cap',
  );
  return null;
}

/** Converts a feature to its form in the API. */
export function presentFeature({ limit, metricId, resets, ...feature }: PlanFeature) {
  return {
    ...feature,
    limit: limit === null ? null : jsonNumber(limit),
    metricId: metricId ?? null,
    resets: resets ?? null,
  };
}
