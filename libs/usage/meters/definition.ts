import { Decimal, decimalString, deriveUuid } from '#libs/core';
import { usageLimits } from '../limits.js';
import { wrongPropertyPath } from './property-path.js';

export type AggregationType = 'count' | 'sum' | 'max' | 'count_distinct';

/** A value that a filter compares with. Numbers compare by value: 1 matches 1.0 and the text "1". */
export type FilterValue = string | number | boolean;

/** How a metric turns events into a quantity. Properties are dot paths. */
export interface Aggregation {
  readonly type: AggregationType;
  /** What is summed, compared or told apart; a count needs none. */
  readonly property?: string;
  /** Only events whose properties equal the value, or one of the values, are aggregated. */
  readonly filter?: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  /** One quantity for each combination of these properties' values. */
  readonly groupBy?: readonly string[];
}

/** What is to be measured: a version of a metric. */
export interface MetricDefinition {
  readonly metricId: string;
  readonly version: number;
  readonly accountId: string;
  readonly eventName: string;
  readonly aggregation: Aggregation;
}

/** An aggregation in the one form that equal aggregations share. Keys of a group stand in this groupBy's order. */
export interface NormalAggregation {
  readonly type: AggregationType;
  readonly property: string | null;
  readonly filter: readonly (readonly [path: string, values: readonly string[]])[];
  readonly groupBy: readonly string[];
}

/** The aggregation without what makes no difference: order, repeated values, the property of a count. */
export function normalise(aggregation: Aggregation): NormalAggregation {
  return {
    type: aggregation.type,
    property: aggregation.type === 'count' ? null : (aggregation.property ?? null),
    filter: Object.entries(aggregation.filter ?? {})
      .map(([path, values]) => [path, [...new Set([values].flat().map(scalarText))].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    groupBy: [...new Set(aggregation.groupBy)].sort(),
  };
}

/** Names the meter of a definition: the same for every metric and version that measures the same. */
export function meterKey(definition: MetricDefinition): string {
  const { accountId, eventName, aggregation } = definition;
  return deriveUuid('meter', accountId, eventName, JSON.stringify(normalise(aggregation)));
}

/** As usage.scalar_text in the database writes it. */
function scalarText(value: FilterValue): string {
  return typeof value === 'number' ? decimalString(new Decimal(value)) : String(value);
}

/** One thing wrong with an aggregation: its field below `aggregation`, and what is expected. */
export interface AggregationFault {
  readonly field: 'property' | 'filter' | 'groupBy';
  readonly message: string;
}

/** What is wrong with an aggregation's paths, filter and grouping; nothing if it can be measured. */
export function aggregationFaults(aggregation: Aggregation): AggregationFault[] {
  const faults: AggregationFault[] = [];
  const { type, property, filter, groupBy } = aggregation;
  if (type !== 'count' && property === undefined)
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
    if (message !== undefined)
      faults.push({ field: 'groupBy', message: `"${String(path).slice(0, 64)}" ${message}` });
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
