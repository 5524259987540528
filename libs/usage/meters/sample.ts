import { Decimal, decimalString, type Instant } from '#libs/kernel/core';
import { createContribution, propertyReader, scalarText } from './contribution.js';
import type { MeterAggregation } from './definition.js';
import type { MeasuredGroup } from './measurement.js';

/** An unstored event for trying an aggregation. */
export interface SampleEvent {
  /** The time in UTC with milliseconds or microseconds. */
  readonly timestamp: string;
  /** The idempotency key. Only the first of several events with the same key is counted. */
  readonly idempotencyKey?: string;
  /** The properties as parsed from JSON. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The result of an aggregation of sample events, in the form of a measurement. */
export interface SampleMeasurement {
  readonly groups: readonly MeasuredGroup[];
  readonly events: number;
  readonly skipped: number;
}

/** A range from `start` (inclusive) to `end` (exclusive). An absent bound does not limit the range. */
export interface SampleRange {
  readonly start?: Instant;
  readonly end?: Instant;
}

/** Decimals with more digits than a sum of numbers below 1e100 and above 1e-100 can have. */
const Exact = Decimal.clone({ precision: 250 });

/**
 * Measures the sample events in [start, end) by the rules of the meters. The statements in measure-sql.ts implement the same rules in SQL,
 * and a test compares both.
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
  for (const { properties } of eventsInRange(events, range)) {
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

/** The events in the range, without those that repeat a key. */
export function eventsInRange(events: readonly SampleEvent[], { start, end }: SampleRange): SampleEvent[] {
  return firstOfEachKey(events).filter(
    ({ timestamp }) =>
      (start === undefined || toMicros(timestamp) >= toMicros(start)) &&
      (end === undefined || toMicros(timestamp) < toMicros(end)),
  );
}

/** Returns the timestamp with six digits of the second, so that strings sort by time. */
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
