import { Decimal, decimalString, type Instant } from '#libs/kernel/core';
import { contributionsTo, propertyReader, scalarText } from './contribution.js';
import type { MeterAggregation } from './definition.js';
import type { MeasuredGroup } from './measurement.js';

/** An event that was never stored, to try an aggregation on. */
export interface SampleEvent {
  /** UTC with milliseconds or microseconds. */
  readonly timestamp: string;
  /** Only the first of several events with the same key counts. */
  readonly idempotencyKey?: string;
  /** The properties as parsed from JSON. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The result of an aggregation over sample events, in the form of a measurement of stored ones. */
export interface SampleMeasurement {
  readonly groups: readonly MeasuredGroup[];
  readonly events: number;
  readonly skipped: number;
}

/** From when (inclusive) to when (exclusive); open where nothing is said. */
export interface SampleRange {
  readonly start?: Instant;
  readonly end?: Instant;
}

/** More digits than a sum of numbers below 1e100 and above 1e-100 can have. */
const Exact = Decimal.clone({ precision: 250 });

/**
 * Measures sample events in [start, end), where they are given, by the rules of the meters: the statements in measure-sql.ts
 * say the same in SQL, and a test holds both against each other.
 */
export function measureSample(
  aggregation: MeterAggregation,
  events: readonly SampleEvent[],
  range: SampleRange = {},
): SampleMeasurement {
  const { groupBy = [] } = aggregation;
  const contributionOf = contributionsTo(aggregation);
  const groupPaths = groupBy.map((path) => [path, propertyReader(path)] as const);
  let skipped = 0;
  const counted: { key: Record<string, string>; value: string }[] = [];
  for (const { properties } of inRange(events, range)) {
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

/** The events in the range, those that repeat a key left out. */
export function inRange(events: readonly SampleEvent[], { start, end }: SampleRange): SampleEvent[] {
  return firstOfEachKey(events).filter(
    ({ timestamp }) =>
      (start === undefined || toMicros(timestamp) >= toMicros(start)) &&
      (end === undefined || toMicros(timestamp) < toMicros(end)),
  );
}

/** With six digits of the second, in which the order of text is that of time. */
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
