import { isObject, type FieldError } from '#libs/kernel/core';
import { aggregationFaults, type Aggregation, type MeterAggregation } from '#libs/usage';
import { invalidFieldsError } from '../details.js';

const FIELDS = ['type', 'property', 'filter', 'groupBy'];

/** The types of a metric's aggregation. */
export const AGGREGATION_TYPES = ['count', 'sum', 'max', 'count_distinct', 'sql'] as const;

/** The types of aggregations that need no SQL. */
export const METER_AGGREGATION_TYPES = ['count', 'sum', 'max', 'count_distinct'] as const;

/**
 * Reads a metric's `aggregation` and `sql` from a parsed request body. A field with the value null counts as absent. Throws an
 * InvalidRequest that names the wrong fields. A missing or unneeded `sql` is named only if `aggregation` is correct. This function does not
 * check the content of the SQL.
 */
export function readMetricAggregation(input: unknown, sql: string | null | undefined): Aggregation {
  const aggregation = readFields(input, AGGREGATION_TYPES);
  if (isSqlAggregation(input)) {
    if (!isGiven(sql))
      throw invalidFieldsError([{ field: 'sql', message: 'is required for an aggregation of type sql' }]);
    return { ...aggregation, sql } as Aggregation;
  }
  if (isGiven(sql))
    throw invalidFieldsError([{ field: 'sql', message: 'is only for an aggregation of type sql' }]);
  return aggregation;
}

/** Tells whether the `aggregation` of a request needs the field `sql`. */
export function isSqlAggregation(input: unknown): boolean {
  return isObject(input) && input.type === 'sql';
}

/** Reads an aggregation of any type except `sql`, and refuses `sql`. Otherwise works like {@link readMetricAggregation}. */
export function readMeterAggregation(input: unknown): MeterAggregation {
  return readFields(input, METER_AGGREGATION_TYPES) as MeterAggregation;
}

/** Reads the fields of an aggregation, except the SQL. */
function readFields(input: unknown, types: readonly unknown[]): Aggregation {
  if (!isObject(input))
    throw invalidFieldsError([
      { field: 'aggregation', message: 'must be an object such as {"type": "count"}' },
    ]);
  const { type } = input;
  const errors: FieldError[] = Object.keys(input)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ field: `aggregation.${field}`, message: 'is not a field of this request' }));
  if (!types.includes(type))
    errors.push({ field: 'aggregation.type', message: `must be one of ${types.join(', ')}` });
  if (type === 'sql' && isGiven(input.property))
    errors.push({
      field: 'aggregation.property',
      message: 'must be left out: the SQL says what is aggregated',
    });
  errors.push(...shapeErrors(input));
  if (errors.length > 0) throw invalidFieldsError(errors);

  const aggregation = withoutNulls({
    type,
    property: input.property,
    filter: input.filter,
    groupBy: input.groupBy,
  }) as unknown as Aggregation;
  const faults = aggregationFaults(aggregation);
  if (faults.length > 0)
    throw invalidFieldsError(
      faults.map(({ field, message }) => ({ field: `aggregation.${field}`, message })),
    );
  return aggregation;
}

/**
 * Returns errors about fields with a wrong shape, such as text in place of a list. The paths and values of fields are checked only if the
 * shapes are correct.
 */
function shapeErrors({ property, filter, groupBy }: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  if (isGiven(property) && typeof property !== 'string')
    errors.push({ field: 'aggregation.property', message: 'must be a property name or a dot path' });
  if (isGiven(filter) && !isObject(filter))
    errors.push({
      field: 'aggregation.filter',
      message: 'must be an object of property paths and the values that they must equal',
    });
  if (isGiven(groupBy) && !Array.isArray(groupBy))
    errors.push({ field: 'aggregation.groupBy', message: 'must be a list of property names or dot paths' });
  return errors;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
}
