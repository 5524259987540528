import { Decimal, decimalString, ExactNumber, parseDecimal, type Instant } from '#libs/core';
import type { MeterAggregation } from './definition.js';
import type { MeasuredGroup } from './measurement.js';

/** An event that was never stored, to try an aggregation on. */
export interface SampleEvent {
  /** UTC with milliseconds or microseconds. */
  readonly timestamp: string;
  /** Of events with the same key only the first counts. */
  readonly idempotencyKey?: string;
  /** As they were parsed from JSON. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What an aggregation makes of sample events: as a measurement of stored ones. */
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
 * and the functions of the log (usage.property, usage.scalar_text, usage.numeric_value) say the same in SQL, and a test holds
 * both against each other.
 */
export function measureSample(
  aggregation: MeterAggregation,
  events: readonly SampleEvent[],
  range: SampleRange = {},
): SampleMeasurement {
  const { groupBy = [], filter = {} } = aggregation;
  const matching = inRange(events, range).filter(({ properties }) =>
    Object.entries(filter).every(([path, values]) =>
      [values].flat().some((value) => scalarText(value) === scalarText(propertyOf(properties, path))),
    ),
  );
  const values = matching.map(({ properties }) => ({
    key: Object.fromEntries(
      groupBy.flatMap((path) => {
        const text = scalarText(propertyOf(properties, path));
        return text === undefined ? [] : [[path, text]];
      }),
    ),
    value: valueOf(aggregation, properties),
  }));
  const counted = values.filter(({ value }) => value !== undefined);
  const groups = [...Map.groupBy(counted, ({ key }) => JSON.stringify(key))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => ({
      key: members[0]!.key,
      quantity: combine(
        aggregation,
        members.map(({ value }) => value!),
      ),
    }));
  return {
    groups: groups.length === 0 && groupBy.length === 0 ? [{ key: {}, quantity: '0' }] : groups,
    events: counted.length,
    skipped: matching.length - counted.length,
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

function valueOf(
  { type, property }: MeterAggregation,
  properties: Readonly<Record<string, unknown>>,
): string | undefined {
  if (type === 'count') return '1';
  const value = propertyOf(properties, property!);
  return type === 'count_distinct' ? scalarText(value) : numericText(value);
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

/** By its literal name, else by its path: `usage.property`. */
function propertyOf(properties: Readonly<Record<string, unknown>>, path: string): unknown {
  const literal = own(properties, path);
  return literal === undefined ? path.split('.').reduce<unknown>(own, properties) : literal;
}

/** A member of an object or an element of a list; undefined if there is none. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (Array.isArray(value)) return /^(?:-?(?:0|[1-9]\d*))$/.test(name) ? value.at(Number(name)) : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** What equality, grouping and counting of distinct values go by: `usage.scalar_text`. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? decimalString(new Exact(String(value))) : undefined;
}

const NUMERIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/;

/** Numbers, and text that is one: `usage.numeric_value`. */
function numericText(value: unknown): string | undefined {
  if (isNumber(value)) return String(value);
  if (typeof value !== 'string' || value.length > 100 || !NUMERIC_TEXT.test(value)) return undefined;
  return parseDecimal(value) === undefined ? undefined : value;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}
