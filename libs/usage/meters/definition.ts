import { Decimal, decimalString, deriveUuid } from '#libs/kernel/core';
import { usageLimits } from '../limits.js';
import { wrongPropertyPath } from './property-path.js';

/** The types that meters fold. */
export type MeterType = 'count' | 'sum' | 'max' | 'count_distinct';

/** A value that a filter compares with. Numbers compare by value: 1 matches 1.0 and the text "1". */
export type FilterValue = string | number | boolean;

/** The events that a metric selects, and how it groups them. Properties are dot paths. */
interface AggregationScope {
  /** Only events whose properties equal the value, or one of the values, are aggregated. */
  readonly filter?: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  /** One quantity for each combination of these properties' values. */
  readonly groupBy?: readonly string[];
}

/** A quantity that meters fold. */
export interface MeterAggregation extends AggregationScope {
  readonly type: MeterType;
  /** The property that is summed, compared or counted; `count` needs none. */
  readonly property?: string;
}

/** A quantity by SQL, which is run over the events whenever it is asked for. */
export interface SqlAggregation extends AggregationScope {
  readonly type: 'sql';
  /** A SELECT of one value from `events`, or the expression of one. */
  readonly sql: string;
}

/** How a metric computes a quantity from events. */
export type Aggregation = MeterAggregation | SqlAggregation;

/** The definition of a measurement: a version of a metric. */
export interface MetricDefinition {
  readonly metricId: string;
  readonly version: number;
  readonly workspaceId: string;
  readonly eventName: string;
  readonly aggregation: Aggregation;
}

/** The definition that a meter folds. */
export interface MeterDefinition extends MetricDefinition {
  readonly aggregation: MeterAggregation;
}

/** Tells whether the definition is measured by a meter. Otherwise it is measured by its SQL. */
export function isMetered(definition: MetricDefinition): definition is MeterDefinition {
  return definition.aggregation.type !== 'sql';
}

/**
 * Returns the definition that the meter folds. SQL cannot be folded, so its meter counts the events that the SQL reads. That tells when
 * there are others.
 */
export function meteredBy(definition: MetricDefinition): MeterDefinition {
  if (isMetered(definition)) return definition;
  const { filter } = definition.aggregation;
  return { ...definition, aggregation: { type: 'count', ...(filter === undefined ? {} : { filter }) } };
}

/** An aggregation in the one form that equal aggregations share. Keys of a group stand in this groupBy's order. */
export interface NormalAggregation extends NormalScope {
  readonly type: MeterType;
  readonly property: string | null;
}

/** A filter and grouping in the one form that equal ones share. */
export interface NormalScope {
  readonly filter: readonly (readonly [path: string, values: readonly string[]])[];
  readonly groupBy: readonly string[];
}

/** The aggregation without what makes no difference: order, repeated values, the property of a count. */
export function normalise(aggregation: MeterAggregation): NormalAggregation {
  return {
    type: aggregation.type,
    property: aggregation.type === 'count' ? null : (aggregation.property ?? null),
    ...normalScope(aggregation),
  };
}

/** The filter and grouping without what makes no difference. */
export function normalScope({ filter, groupBy }: AggregationScope): NormalScope {
  return {
    filter: Object.entries(filter ?? {})
      .map(([path, values]) => [path, [...new Set([values].flat().map(scalarText))].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    groupBy: [...new Set(groupBy)].sort(),
  };
}

/** Names the meter of a definition: the same for every metric and version that measures the same. */
export function meterKey(definition: MeterDefinition): string {
  const { workspaceId, eventName, aggregation } = definition;
  return deriveUuid('meter', workspaceId, eventName, JSON.stringify(normalise(aggregation)));
}

/** The same text as usage.scalar_text in the database. */
function scalarText(value: FilterValue): string {
  return typeof value === 'number' ? decimalString(new Decimal(value)) : String(value);
}

/** One error in an aggregation: its field below `aggregation`, and what is expected. */
export interface AggregationFault {
  readonly field: 'property' | 'filter' | 'groupBy';
  readonly message: string;
}

/** Returns the errors in an aggregation's paths, filter and grouping; none if it can be measured. */
export function aggregationFaults(aggregation: Aggregation): AggregationFault[] {
  const faults: AggregationFault[] = [];
  const { type, filter, groupBy } = aggregation;
  const property = type === 'sql' ? undefined : aggregation.property;
  if (type !== 'count' && type !== 'sql' && property === undefined)
    faults.push({ field: 'property', message: `is required for ${type}` });
  const wrong = property === undefined ? undefined : wrongPropertyPath(property);
  if (wrong !== undefined) faults.push({ field: 'property', message: wrong });

  const filters = Object.entries(filter ?? {});
  if (filters.length > usageLimits.filterProperties)
    faults.push({ field: 'filter', message: `must name at most ${usageLimits.filterProperties} properties` });
  for (const [path, values] of filters) {
    const message = wrongPropertyPath(path) ?? wrongFilterValues(values);
    if (message !== undefined) faults.push({ field: 'filter', message: `"${path.slice(0, 64)}" ${message}` });
  }

  if ((groupBy?.length ?? 0) > usageLimits.groupByProperties)
    faults.push({
      field: 'groupBy',
      message: `must name at most ${usageLimits.groupByProperties} properties`,
    });
  for (const path of groupBy ?? []) {
    const message = wrongPropertyPath(path);
    if (message === undefined) continue;
    // From a body it can be anything.
    const named: unknown = path;
    const name = typeof named === 'string' ? `"${named.slice(0, 64)}"` : 'Each of the list';
    faults.push({ field: 'groupBy', message: `${name} ${message}` });
  }
  return faults;
}

function wrongFilterValues(value: unknown): string | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > usageLimits.filterValues)
    return `must have 1 to ${usageLimits.filterValues} values`;
  return values.every(isFilterValue)
    ? undefined
    : 'must equal text, a number, true or false, or one of a list of these';
}

function isFilterValue(value: unknown): boolean {
  if (typeof value === 'string')
    return value.length <= 1_000 && value.isWellFormed() && !value.includes('\0');
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
