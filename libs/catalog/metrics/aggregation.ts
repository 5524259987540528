import { ExactNumber, InvalidRequest, type FieldError } from '#libs/core';
import { aggregationFaults, type Aggregation } from '#libs/usage';
import { invalidFields } from '../details.js';

const FIELDS = ['type', 'property', 'filter', 'groupBy'];
const TYPES: readonly unknown[] = ['count', 'sum', 'max', 'count_distinct'] satisfies Aggregation['type'][];

/** The types that a metric can have, of those that the API names. */
export const AGGREGATION_TYPES = ['count', 'sum', 'max', 'count_distinct', 'sql'] as const;

/**
 * Reads a metric's `aggregation` from a parsed request body; null counts as left out. InvalidRequest names every wrong
 * field; `not_supported_yet` for the type `sql`.
 */
export function readAggregation(input: unknown): Aggregation {
  if (!isPlainObject(input))
    throw invalidFields([{ field: 'aggregation', message: 'must be an object such as {"type": "count"}' }]);
  const { type } = input;
  if (type === 'sql')
    throw InvalidRequest.field(
      'aggregation.type',
      '"sql" is not supported yet; use count, sum, max or count_distinct',
      'not_supported_yet',
    );
  const errors: FieldError[] = Object.keys(input)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ field: `aggregation.${field}`, message: 'is not a field of this request' }));
  if (!TYPES.includes(type))
    errors.push({ field: 'aggregation.type', message: `must be one of ${AGGREGATION_TYPES.join(', ')}` });
  errors.push(...shapeErrors(input));
  if (errors.length > 0) throw invalidFields(errors);

  const aggregation = withoutNulls({
    type,
    property: input.property,
    filter: input.filter,
    groupBy: input.groupBy,
  }) as unknown as Aggregation;
  const faults = aggregationFaults(aggregation);
  if (faults.length > 0)
    throw invalidFields(faults.map(({ field, message }) => ({ field: `aggregation.${field}`, message })));
  return aggregation;
}

/** What must hold before the paths and values inside can be looked at. */
function shapeErrors({ property, filter, groupBy }: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  if (isGiven(property) && typeof property !== 'string')
    errors.push({ field: 'aggregation.property', message: 'must be a property name or a dot path' });
  if (isGiven(filter) && !isPlainObject(filter))
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

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
