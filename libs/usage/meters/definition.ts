import { Decimal, decimalString, deriveUuid } from '#libs/kernel/core';
import { usageBounds } from '../usage-bounds.js';
import { propertyPathProblem } from './property-path.js';

/** The types of aggregations that meters can compute incrementally. */
export type MeterType = 'count' | 'sum' | 'max' | 'count_distinct';

/** A value in a filter. Numbers are compared by value, so 1 matches 1.0 and the string "1". */
export type FilterValue = string | number | boolean;

/** The filter and the groups of a metric's events. Filters and groups name properties by dot paths. */
interface AggregationScope {
  /** The filter. Only events whose properties have the filter's value, or one of its values, are aggregated. */
  readonly filter?: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  /** The properties by which events are grouped. Each combination of the properties' values has a separate quantity. */
  readonly groupBy?: readonly string[];
}

/** An aggregation that meters can compute incrementally. */
export interface MeterAggregation extends AggregationScope {
  readonly type: MeterType;
  /** The property whose values are summed, compared or counted. `count` does not need one. */
  readonly property?: string;
}

/** An aggregation by SQL, which runs over the events each time that usage is measured. */
export interface SqlAggregation extends AggregationScope {
  readonly type: 'sql';
  /** SQL that is a SELECT of one value from `events`, or an expression for one value. */
  readonly sql: string;
}

/** How a metric computes a quantity from events. */
export type Aggregation = MeterAggregation | SqlAggregation;

/** The definition of a metric in one version, by which usage is measured. */
export interface MetricDefinition {
  readonly metricId: string;
  readonly version: number;
  readonly workspaceId: string;
  readonly eventName: string;
  readonly aggregation: Aggregation;
}

/** The definition of a metric whose usage a meter sums up. */
export interface MeterDefinition extends MetricDefinition {
  readonly aggregation: MeterAggregation;
}

/** Tells whether the definition is measured by a meter. A definition without a meter is measured by its SQL. */
export function isMetered(definition: MetricDefinition): definition is MeterDefinition {
  return definition.aggregation.type !== 'sql';
}

/**
 * Returns the definition of the meter that belongs to a metric. The usage of an SQL metric cannot be summed up, so its meter counts the
 * events that the SQL reads. A change of the event count shows that there are new events.
 */
export function meterDefinitionOf(definition: MetricDefinition): MeterDefinition {
  if (isMetered(definition)) return definition;
  const { filter } = definition.aggregation;
  return { ...definition, aggregation: { type: 'count', ...(filter === undefined ? {} : { filter }) } };
}

/**
 * An aggregation in its normal form, which is the same for equal aggregations. The values of a group are listed in the order of the normal
 * form's `groupBy`.
 */
export interface NormalisedAggregation extends NormalisedScope {
  readonly type: MeterType;
  readonly property: string | null;
}

/** The filter and grouping in their normal form, which is the same for equal filters and groupings. */
export interface NormalisedScope {
  readonly filter: readonly (readonly [path: string, values: readonly string[]])[];
  readonly groupBy: readonly string[];
}

/**
 * Returns the normal form of an aggregation. The normal form ignores the order of filters, repeated values, and the property of a count.
 */
export function normaliseAggregation(aggregation: MeterAggregation): NormalisedAggregation {
  return {
    type: aggregation.type,
    property: aggregation.type === 'count' ? null : (aggregation.property ?? null),
    ...normaliseScope(aggregation),
  };
}

/** Returns the normal form of a filter and grouping. */
export function normaliseScope({ filter, groupBy }: AggregationScope): NormalisedScope {
  return {
    filter: Object.entries(filter ?? {})
      .map(([path, values]) => [path, [...new Set([values].flat().map(scalarText))].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    groupBy: [...new Set(groupBy)].sort(),
  };
}

/**
 * Returns the key that identifies the meter of a definition. All metrics and versions with the same event name and aggregation share one
 * meter.
 */
export function meterKey(definition: MeterDefinition): string {
  const { workspaceId, eventName, aggregation } = definition;
  return deriveUuid('meter', workspaceId, eventName, JSON.stringify(normaliseAggregation(aggregation)));
}

/** Returns the same string as the database function usage.scalar_text. */
function scalarText(value: FilterValue): string {
  return typeof value === 'number' ? decimalString(new Decimal(value)) : String(value);
}

/** An error in an aggregation, with the name of the wrong field. The message of the error says which value is expected. */
export interface AggregationFault {
  readonly field: 'property' | 'filter' | 'groupBy';
  readonly message: string;
}

/**
 * Returns the errors in the paths, filter and grouping of an aggregation. Returns an empty list if the aggregation can be measured. The SQL
 * of an SQL metric is not checked here.
 */
export function aggregationFaults(aggregation: Aggregation): AggregationFault[] {
  const faults: AggregationFault[] = [];
  const { type, filter, groupBy } = aggregation;
  const property = type === 'sql' ? undefined : aggregation.property;
  if (type !== 'count' && type !== 'sql' && property === undefined)
    faults.push({ field: 'property', message: `is required for ${type}` });
  const wrong = property === undefined ? undefined : propertyPathProblem(property);
  if (wrong !== undefined) faults.push({ field: 'property', message: wrong });

  const filters = Object.entries(filter ?? {});
  if (filters.length > usageBounds.filterProperties)
    faults.push({ field: 'filter', message: `must name at most ${usageBounds.filterProperties} properties` });
  for (const [path, values] of filters) {
    const message = propertyPathProblem(path) ?? wrongFilterValues(values);
    if (message !== undefined) faults.push({ field: 'filter', message: `"${path.slice(0, 64)}" ${message}` });
  }

  if ((groupBy?.length ?? 0) > usageBounds.groupByProperties)
    faults.push({
      field: 'groupBy',
      message: `must name at most ${usageBounds.groupByProperties} properties`,
    });
  for (const path of groupBy ?? []) {
    const message = propertyPathProblem(path);
    if (message === undefined) continue;
    // In a request body, the element can be any value.
    const named: unknown = path;
    const name = typeof named === 'string' ? `"${named.slice(0, 64)}"` : 'Each of the list';
    faults.push({ field: 'groupBy', message: `${name} ${message}` });
  }
  return faults;
}

function wrongFilterValues(value: unknown): string | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > usageBounds.filterValues)
    return `must have 1 to ${usageBounds.filterValues} values`;
  return values.every(isFilterValue)
    ? undefined
    : 'must equal text, a number, true or false, or one of a list of these';
}

function isFilterValue(value: unknown): boolean {
  if (typeof value === 'string')
    return value.length <= 1_000 && value.isWellFormed() && !value.includes('\0');
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
