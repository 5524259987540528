import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';
import type { NormalisedAggregation } from './definition.js';
import type { Meter } from './meter.js';
import { aggregationSql, groupIdSql, SqlParameters, type Statement } from './sql.js';

/** A customer and a time range from `start` (inclusive) to `end` (exclusive). */
export interface CustomerTimeRange {
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** A usage group in the result of a measuring statement. If the metric has no groups, the result is one row without a group. */
export interface GroupRow {
  /** The group's values of the `groupBy` properties, in order. `[]` if the metric has no groups, and null if no event matched. */
  group_key: (string | null)[] | null;
  /** The number of counted events. */
  events: string;
  /** The number of events that matched the filter but had no usable value at the metric's property. */
  skipped: string;
  quantity: string;
}

/** A usage group, with the position in the usage log up to which events were counted. */
export interface MeasuredRow extends GroupRow {
  watermark: string;
}

type Source = Pick<Meter, 'streamId' | 'aggregation'>;

/** The whole hours that are read from the rollups, as SQL: a condition for the customer, and the range [start, end). */
interface WholeHours {
  readonly ofCustomer: string;
  readonly start: string;
  readonly end: string;
}

const HOUR = 3_600_000;

/** Returns the whole hours of a time range as [start, end), and the remaining parts of the first and last hour. */
export function splitIntoWholeHours(span: CustomerTimeRange): {
  start: Instant;
  end: Instant;
  edges: CustomerTimeRange[];
} {
  const [from, to] = [instantToMillis(span.start), instantToMillis(span.end)];
  const start = instantFromMillis(Math.min(Math.ceil(from / HOUR) * HOUR, to));
  const end = instantFromMillis(Math.max(Math.floor(to / HOUR) * HOUR, instantToMillis(start)));
  const edges = [
    { ...span, end: start },
    { ...span, start: end },
  ].filter((edge) => edge.start < edge.end);
  return { start, end, edges };
}

/** A usage group of one time range, in the result of a statement that measures several time ranges. */
interface TimeRangeRow extends GroupRow {
  /** The position of the time range in the list, counted from 1. */
  n: number;
}

/** A usage group of one time range, in the result of {@link measureMeterStatement}. */
export interface TimeRangeMeasuredRow extends TimeRangeRow {
  watermark: string;
}

/**
 * Returns the statement that measures time ranges with every event that the meter has folded. Whole hours are read from the rollups (the
 * meter's totals of each hour), and the remaining parts from the usage log. All data is read in a single statement, and therefore from a
 * single snapshot. The returned watermark is the exact position up to which events were counted, in the rollups and in the log. Each time
 * range has at least one row, unless the meter does not exist.
 */
export function measureMeterStatement(meter: Meter, spans: readonly CustomerTimeRange[]): Statement {
  const parameters = new SqlParameters();
  const text = `
    WITH meter AS MATERIALIZED (
      SELECT id, stream_id, watermark FROM usage.meters WHERE id = ${parameters.add(meter.id, 'bigint')}),
    ${timeRanges(spans, parameters)}
    SELECT asked.n::int, (SELECT watermark FROM meter) AS watermark, found.*
    FROM asked LEFT JOIN LATERAL (${foldedGroups(meter.aggregation, spans, parameters)}) found ON true
    ORDER BY asked.n, found.group_key`;
  return { text, values: parameters.values };
}

/**
 * Returns the statement that measures usage up to `watermark`, a position that the meter has already reached. The statement reads the
 * rollups of hours without events after `watermark`, and the usage log for the other hours. The statement cannot be used for
 * count_distinct, because a value that is added to an earlier hour changes the counts of a later hour.
 */
export function measureMeterAsOfStatement(
  meter: Meter,
  span: CustomerTimeRange,
  watermark: string,
): Statement {
  const parameters = new SqlParameters();
  const { start, end, edges } = splitIntoWholeHours(span);
  const meterId = parameters.add(meter.id, 'bigint');
  const upTo = parameters.add(watermark, 'bigint');
  const ofCustomer = `meter_id = ${meterId} AND series_id = ${seriesSql(meter, span, parameters)}`;
  const hours = {
    ofCustomer: `${ofCustomer} AND hour NOT IN (SELECT hour FROM changed)`,
    start: parameters.add(start, 'timestamptz'),
    end: parameters.add(end, 'timestamptz'),
  };
  const log = [
    ...edges.map((edge) => logRowsSql(meter, edge, upTo, parameters)),
    `SELECT log.* FROM changed CROSS JOIN LATERAL (
       ${logRowsBetween(meter, span, ['changed.hour', `changed.hour + interval '1 hour'`], upTo, parameters)}) log`,
  ];
  const text = `
    WITH meter AS MATERIALIZED (SELECT watermark FROM usage.meters WHERE id = ${meterId}),
    changed AS MATERIALIZED (
      SELECT DISTINCT hour FROM usage.rollups
      WHERE ${ofCustomer} AND hour >= ${hours.start} AND hour < ${hours.end} AND last_seq > ${upTo}),
    raw AS MATERIALIZED (${log.join(' UNION ALL ')}),
    ${totals(meter.aggregation, hours)}
    SELECT ${upTo} AS watermark, total.group_key, total.events, total.skipped, total.quantity
    FROM meter LEFT JOIN total ON true ORDER BY total.group_key`;
  return { text, values: parameters.values };
}

/** A usage group of one time range, in the result of {@link measureCurrentStatement}. */
export interface TimeRangeGroupRow extends TimeRangeRow {
  /** True if more than `maxUnfoldedEvents` events are not yet added to the meter's rollups. The quantities are then incomplete. */
  behind: boolean;
}

/**
 * Returns the statement that measures time ranges with every event that was committed before the statement. The statement reads the
 * rollups, and the events that are not yet added to them. It reads at most `maxUnfoldedEvents` of these events, counted over all customers.
 * The statement needs no lock, and new events need not be added to the meter first. Each time range has at least one row, unless the meter
 * does not exist.
 */
export function measureCurrentStatement(
  key: string,
  aggregation: NormalisedAggregation,
  spans: readonly CustomerTimeRange[],
  maxUnfoldedEvents: number,
): Statement {
  const parameters = new SqlParameters();
  const limit = parameters.add(maxUnfoldedEvents, 'int');
  const unfolded = contributions(
    aggregation,
    'tail',
    `${OF_SERIES} AND timestamp >= asked.first AND timestamp < asked.last`,
    parameters,
  );
  const text = `
    WITH meter AS MATERIALIZED (
      SELECT id, stream_id, watermark FROM usage.meters WHERE key = ${parameters.add(key, 'uuid')} AND role = 'live'),
    tail AS MATERIALIZED (
      SELECT series_id, timestamp, properties FROM usage.events
      WHERE stream_id = (SELECT stream_id FROM meter) AND seq > (SELECT watermark FROM meter)
      ORDER BY seq LIMIT ${limit} + 1),
    ${timeRanges(spans, parameters)}
    SELECT asked.n::int, (SELECT count(*) FROM tail) > ${limit} AS behind, found.*
    FROM asked LEFT JOIN LATERAL (${foldedGroups(aggregation, spans, parameters, [unfolded])}) found ON true
    ORDER BY asked.n, found.group_key`;
  return { text, values: parameters.values };
}

/** The condition for the rows of a time range's series. */
const OF_SERIES = 'series_id = asked.series_id';

/**
 * Returns the CTE `asked`: a row for each time range, with its series in the stream of the CTE `meter`. The range is [`first`, `last`), and
 * its whole hours are [`first_hour`, `last_hour`).
 */
function timeRanges(spans: readonly CustomerTimeRange[], parameters: SqlParameters): string {
  const whole = spans.map(splitIntoWholeHours);
  const columns = [
    parameters.add(
      spans.map(({ customerId }) => customerId),
      'text[]',
    ),
    ...[
      spans.map(({ start }) => start),
      spans.map(({ end }) => end),
      whole.map(({ start }) => start),
      whole.map(({ end }) => end),
    ].map((all) => parameters.add(all, 'timestamptz[]')),
  ];
  return `asked AS MATERIALIZED (
      SELECT one.*, (
        SELECT id FROM usage.series WHERE customer_id = one.customer_id AND stream_id = meter.stream_id) AS series_id
      FROM meter CROSS JOIN unnest(${columns.join(', ')}) WITH ORDINALITY
        AS one (customer_id, first, last, first_hour, last_hour, n))`;
}

/**
 * Selects the usage groups of the row of `asked`, from the events that the CTE `meter` has folded, and from `further` rows (group_id,
 * group_key, value).
 */
function foldedGroups(
  aggregation: NormalisedAggregation,
  spans: readonly CustomerTimeRange[],
  parameters: SqlParameters,
  further: readonly string[] = [],
): string {
  const folded = `${OF_SERIES} AND seq <= (SELECT watermark FROM meter)`;
  const logRows = (start: string, end: string): string => {
    const where = `${folded} AND timestamp >= ${start} AND timestamp < ${end}`;
    return contributions(aggregation, 'usage.events', where, parameters);
  };
  // If all time ranges cover whole hours only, nothing is read from the log.
  const edges = spans.some((span) => splitIntoWholeHours(span).edges.length > 0)
    ? [logRows('asked.first', 'asked.first_hour'), logRows('asked.last_hour', 'asked.last')]
    : [];
  const raw = [...edges, ...further];
  const hours = {
    ofCustomer: `meter_id = (SELECT id FROM meter) AND ${OF_SERIES}`,
    start: 'asked.first_hour',
    end: 'asked.last_hour',
  };
  return `
      WITH raw AS MATERIALIZED (${raw.length === 0 ? noLogRows(aggregation) : raw.join(' UNION ALL ')}),
      ${totals(aggregation, hours)}
      SELECT group_key, events, skipped, quantity FROM total`;
}

/** Returns the statement that measures usage up to `watermark` by the usage log only. */
export function measureLogStatement(source: Source, span: CustomerTimeRange, watermark: string): Statement {
  const parameters = new SqlParameters();
  const upTo = parameters.add(watermark, 'bigint');
  const text = `
    WITH raw AS NOT MATERIALIZED (${logRowsSql(source, span, upTo, parameters)}),
    ${totals(source.aggregation, undefined)}
    SELECT ${upTo} AS watermark, group_key, events, skipped, quantity FROM total ORDER BY group_key`;
  return { text, values: parameters.values };
}

/** One event in the result of {@link nextEventValuesStatement}. */
export interface EventValueRow {
  timestamp: Instant;
  /** The position of the event in the usage log. */
  seq: string;
  /** The event's values of the `groupBy` properties, in order. A value is null if the event does not have the property. */
  group_key: (string | null)[];
  /** The contribution of the event to the aggregation. */
  value: string;
}

/** The last event that was read from the usage log. Reading continues after it. */
export type LastReadEvent = Pick<EventValueRow, 'timestamp' | 'seq'>;

/**
 * Returns the statement that reads the next `limit` counted events up to `watermark`. Events are ordered by their timestamp, and events
 * with the same timestamp by arrival.
 */
export function nextEventValuesStatement(
  source: Source,
  span: CustomerTimeRange,
  watermark: string,
  after: LastReadEvent | undefined,
  limit: number,
): Statement {
  const parameters = new SqlParameters();
  const { filterCondition: matches, value, groupKey } = aggregationSql(source.aggregation, parameters);
  const from = after
    ? `(timestamp, seq) > (${parameters.add(after.timestamp, 'timestamptz')}, ${parameters.add(after.seq, 'bigint')})`
    : `timestamp >= ${parameters.add(span.start, 'timestamptz')}`;
  const text = `
    SELECT timestamp, seq, ${groupKey} AS group_key, ${value} AS value
    FROM usage.events
    WHERE series_id = ${seriesSql(source, span, parameters)} AND ${from}
      AND timestamp < ${parameters.add(span.end, 'timestamptz')}
      AND seq <= ${parameters.add(watermark, 'bigint')} AND ${matches} AND ${value} IS NOT NULL
    ORDER BY timestamp, seq LIMIT ${parameters.add(limit, 'int')}`;
  return { text, values: parameters.values };
}

/**
 * Selects rows of the usage log as (group_id, group_key, value), up to a watermark. If `after` is given, selects only rows after that
 * position.
 */
export function logRowsSql(
  source: Source,
  span: CustomerTimeRange,
  upTo: string,
  parameters: SqlParameters,
  after?: string,
): string {
  const bounds = [
    parameters.add(span.start, 'timestamptz'),
    parameters.add(span.end, 'timestamptz'),
  ] as const;
  return `${logRowsBetween(source, span, bounds, upTo, parameters)}${after === undefined ? '' : ` AND seq > ${after}`}`;
}

/** Selects the same rows as {@link logRowsSql}. The start and the end of the time range are SQL expressions. */
function logRowsBetween(
  source: Source,
  span: CustomerTimeRange,
  [start, end]: readonly [start: string, end: string],
  upTo: string,
  parameters: SqlParameters,
): string {
  const where = `series_id = ${seriesSql(source, span, parameters)}
      AND timestamp >= ${start} AND timestamp < ${end} AND seq <= ${upTo}`;
  return contributions(source.aggregation, 'usage.events', where, parameters);
}

/** Selects the contribution of each event of a table, as (group_id, group_key, value). */
function contributions(
  aggregation: NormalisedAggregation,
  table: string,
  where: string,
  parameters: SqlParameters,
): string {
  const { filterCondition: matches, value, groupKey } = aggregationSql(aggregation, parameters);
  return `
    SELECT ${groupIdSql(aggregation, groupKey)} AS group_id, ${groupKey} AS group_key, ${value} AS value
    FROM ${table} WHERE ${where} AND ${matches}`;
}

/**
 * Returns SQL for the id of the customer's series in the stream. The id is null if the customer never had an event in the stream, so the
 * statement finds nothing.
 */
export function seriesSql(source: Source, span: CustomerTimeRange, parameters: SqlParameters): string {
  const stream = parameters.add(source.streamId, 'int');
  return `(SELECT id FROM usage.series WHERE stream_id = ${stream} AND customer_id = ${parameters.add(span.customerId, 'text')})`;
}

function noLogRows(aggregation: NormalisedAggregation): string {
  const type = aggregation.type === 'count_distinct' ? 'bytea' : 'numeric';
  return `SELECT NULL::bytea AS group_id, NULL::jsonb AS group_key, NULL::${type} AS value WHERE false`;
}

/**
 * Returns the CTE `total` with the columns (group_key, events, skipped, quantity). The CTE `total` combines the CTE `raw` with the whole
 * hours, if there are any.
 */
function totals(aggregation: NormalisedAggregation, hours: WholeHours | undefined): string {
  const parts = (quantity: string): string => `
    SELECT group_id, group_key, count(value) AS events, count(*) - count(value) AS skipped, ${quantity} AS quantity
    FROM raw GROUP BY group_id, group_key
    ${
      hours
        ? `UNION ALL SELECT group_id, group_key, events, skipped, quantity FROM usage.rollups
           WHERE ${hours.ofCustomer} AND hour >= ${hours.start} AND hour < ${hours.end}`
        : ''
    }`;
  if (aggregation.type !== 'count_distinct') {
    const combine = aggregation.type === 'max' ? 'max' : 'sum';
    return `total AS (
      SELECT group_key, sum(events) AS events, sum(skipped) AS skipped, ${combine}(quantity) AS quantity
      FROM (${parts(`${combine}(value)`)}) part GROUP BY group_key)`;
  }
  return `
    seen AS (
      SELECT group_id, sum(count) AS quantity FROM (${hours ? distinctOfHours(hours) : DISTINCT_OF_LOG}) one
      GROUP BY group_id),
    total AS (
      SELECT group_key, sum(events) AS events, sum(skipped) AS skipped, coalesce(max(seen.quantity), 0) AS quantity
      FROM (${parts('NULL::numeric')}) part LEFT JOIN seen USING (group_id) GROUP BY group_key)`;
}

const DISTINCT_OF_LOG = 'SELECT group_id, count(DISTINCT value) AS count FROM raw GROUP BY group_id';

/**
 * Counts the distinct values. Distinct values of several hours cannot be summed, because a value can occur in several hours. The statement
 * counts each value in its first hour of the range, or in the log if no whole hour has the value.
 */
function distinctOfHours({ ofCustomer, start, end }: WholeHours): string {
  return `
    SELECT group_id, count FROM usage.recurrences
    WHERE ${ofCustomer} AND hour >= ${start} AND hour < ${end} AND seen_before < ${start}
    UNION ALL
    SELECT group_id, count(*) FROM (SELECT DISTINCT group_id, value FROM raw WHERE value IS NOT NULL) edge
    -- Not as NOT EXISTS, of which the planner makes a join with every value there is.
    WHERE (
      SELECT true FROM usage.distinct_values d
      WHERE ${ofCustomer} AND d.group_id = edge.group_id AND d.value = edge.value
        AND hour >= ${start} AND hour < ${end} LIMIT 1) IS NULL
    GROUP BY group_id`;
}
