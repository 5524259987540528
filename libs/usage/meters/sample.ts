import { Decimal, decimalString, type Instant } from '#libs/kernel/core';
import { createContribution, propertyReader, scalarText } from './contribution.js';
import type { MeterAggregation } from './definition.js';
import type { MeasuredGroup } from './measurement.js';

/** A sample event, which is not stored, to try an aggregation. */
export interface SampleEvent {
  /** The timestamp in UTC with milliseconds or microseconds. */
  readonly timestamp: string;
  /** The idempotency key. If several events have the same idempotency key, only the first of them is counted. */
  readonly idempotencyKey?: string;
  /** The properties as parsed from JSON. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The result of an aggregation of sample events, in the same form as a measurement. */
export interface SampleMeasurement {
  readonly groups: readonly MeasuredGroup[];
  /** The number of counted events. */
  readonly events: number;
  /** The number of events that matched the filter but had no usable value at the aggregation's property. */
  readonly skipped: number;
}

/** A time range from `start` (inclusive) to `end` (exclusive). If a bound is absent, the range has no limit on that side. */
export interface SampleRange {
  readonly start?: Instant;
  readonly end?: Instant;
}

/** Decimals that are exact for sums of numbers between 1e-100 and 1e100. */
const Exact = Decimal.clone({ precision: 250 });

/**
 * Measures the sample events in [start, end) by the rules of the meters. The SQL statements in measure-sql.ts implement the same rules, and
 * a test compares both.
 */
export function measureSample(
  aggregation: MeterAggregation,
  events: readonly SampleEvent[],
  range: SampleRange = {},
): SampleMeasurement {
  const { groupBy = [] } = aggregation;
  const contributionOf = createContribution(aggregation);
  const groupPaths = groupBy.map((path) => [path, propertyReader(path)] as const);
  let skipped = 0;
  const counted: { key: Record<string, string>; value: string }[] = [];
  for (const { properties } of distinctEventsInRange(events, range)) {
    const contribution = contributionOf(properties);
    if (contribution.kind === 'skipped') skipped += 1;
    if (contribution.kind !== 'counted') continue;
    const key = groupPaths.flatMap(([path, read]) => {
      const text = scalarText(read(properties));
      return text === undefined ? [] : [[path, text]];
    });
    counted.push({ key: Object.fromEntries(key) as Record<string, string>, value: contribution.value });
  }
  const groups = [...Map.groupBy(counted, ({ key }) => JSON.stringify(key))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => ({
      key: members[0]!.key,
      quantity: combine(
        aggregation,
        members.map(({ value }) => value),
      ),
    }));
  return {
    groups: groups.length === 0 && groupBy.length === 0 ? [{ key: {}, quantity: '0' }] : groups,
    events: counted.length,
    skipped,
  };
}

/** Returns the events in the range, without events that repeat an idempotency key. */
export function distinctEventsInRange(
  events: readonly SampleEvent[],
  { start, end }: SampleRange,
): SampleEvent[] {
  return firstOfEachKey(events).filter(
    ({ timestamp }) =>
      (start === undefined || toMicros(timestamp) >= toMicros(start)) &&
      (end === undefined || toMicros(timestamp) < toMicros(end)),
  );
}

/** Returns the timestamp with six decimal digits of the second, so that strings sort by time. */
function toMicros(timestamp: string): string {
  return `${timestamp.slice(0, -1).padEnd(26, '0')}Z`;
}

function firstOfEachKey(events: readonly SampleEvent[]): SampleEvent[] {
  const seen = new Set<string>();
  return events.filter(({ idempotencyKey }) => {
    if (idempotencyKey === undefined) return true;
    const first = !seen.has(idempotencyKey);
    seen.add(idempotencyKey);
    return first;
  });
}

function combine({ type }: MeterAggregation, values: readonly string[]): string {
  switch (type) {
    case 'count':
      return String(values.length);
    case 'count_distinct':
      return String(new Set(values).size);
    case 'max':
      return decimalString(values.map((value) => new Exact(value)).reduce((a, b) => Exact.max(a, b)));
    case 'sum':
      return decimalString(values.reduce((sum, value) => sum.plus(value), new Exact(0)));
  }
}
