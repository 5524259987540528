import { instantFromMillis, instantToMillis, type Instant } from '#libs/core';
import type { NormalAggregation } from './definition.js';
import type { Meter } from './meter-store.js';
import { aggregationSql, groupId, Parameters, type Statement } from './sql.js';

/** Whose usage, and from when (inclusive) to when (exclusive). */
export interface Span {
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** A group as the statements below answer it. One row without a group if there is nothing. */
export interface MeasuredRow {
  watermark: string;
  group_key: (string | null)[] | null;
  events: string;
  skipped: string;
  quantity: string;
}

type Source = Pick<Meter, 'streamId' | 'aggregation'>;

const HOUR = 3_600_000;

/**
 * Measures by the rollups for whole hours and by the log for the rest. It is one statement, hence one snapshot: the
 * watermark that it answers is that of exactly the rollups and events that it counted.
 */
export function measureMeter(meter: Meter, span: Span): Statement {
  const parameters = new Parameters();
  const firstHour = Math.ceil(instantToMillis(span.start) / HOUR) * HOUR;
  const endHour = Math.floor(instantToMillis(span.end) / HOUR) * HOUR;
  const hours = { start: instantFromMillis(firstHour), end: instantFromMillis(endHour) };
  const edges =
    firstHour >= endHour
      ? [span]
      : [
          { ...span, end: hours.start },
          { ...span, start: hours.end },
        ].filter(({ start, end }) => start < end);

  const upTo = '(SELECT watermark FROM meter)';
  const log = edges.map((edge) => logRows(meter, edge, upTo, parameters));
  const meterId = parameters.add(meter.id, 'bigint');
  const hoursOfCustomer =
    firstHour >= endHour
      ? 'false'
      : `meter_id = ${meterId} AND series_id = ${series(meter, span, parameters)}
         AND hour >= ${parameters.add(hours.start, 'timestamptz')} AND hour < ${parameters.add(hours.end, 'timestamptz')}`;
  const text = `
    WITH meter AS MATERIALIZED (SELECT watermark FROM usage.meters WHERE id = ${meterId}),
    raw AS MATERIALIZED (${log.length === 0 ? noLogRows(meter) : log.join(' UNION ALL ')}),
    ${totals(
      meter.aggregation,
      `SELECT group_id, group_key, events, skipped, quantity FROM usage.rollups WHERE ${hoursOfCustomer}`,
      `SELECT group_id, value FROM usage.distinct_values WHERE ${hoursOfCustomer}`,
    )}
    SELECT meter.watermark, total.group_key, total.events, total.skipped, total.quantity
    FROM meter LEFT JOIN total ON true ORDER BY total.group_key`;
  return { text, values: parameters.values };
}

/** Measures by the log alone, up to `watermark`. */
export function measureLog(source: Source, span: Span, watermark: string): Statement {
  const parameters = new Parameters();
  const upTo = parameters.add(watermark, 'bigint');
  const text = `
    WITH raw AS NOT MATERIALIZED (${logRows(source, span, upTo, parameters)}),
    ${totals(source.aggregation)}
    SELECT ${upTo} AS watermark, group_key, events, skipped, quantity FROM total ORDER BY group_key`;
  return { text, values: parameters.values };
}

/** Rows of the log as (group_id, group_key, value), up to a watermark. */
function logRows(source: Source, span: Span, upTo: string, parameters: Parameters): string {
  const { matches, value, groupKey } = aggregationSql(source.aggregation, parameters);
  return `
    SELECT ${groupId(source.aggregation, groupKey)} AS group_id, ${groupKey} AS group_key, ${value} AS value
    FROM usage.events
    WHERE series_id = ${series(source, span, parameters)}
      AND timestamp >= ${parameters.add(span.start, 'timestamptz')}
      AND timestamp < ${parameters.add(span.end, 'timestamptz')}
      AND seq <= ${upTo} AND ${matches}`;
}

/** The customer's part of the stream; null, and so nothing, if there never was an event. */
function series(source: Source, span: Span, parameters: Parameters): string {
  const stream = parameters.add(source.streamId, 'int');
  return `(SELECT id FROM usage.series WHERE stream_id = ${stream} AND customer_id = ${parameters.add(span.customerId, 'text')})`;
}

function noLogRows({ aggregation }: Source): string {
  const type = aggregation.type === 'count_distinct' ? 'bytea' : 'numeric';
  return `SELECT NULL::bytea AS group_id, NULL::jsonb AS group_key, NULL::${type} AS value WHERE false`;
}

/**
 * The CTE `total` (group_key, events, skipped, quantity) of the CTE `raw` and, where given, of rollups. Values that
 * are to be told apart are told apart over the whole span, so they cannot be added up from parts.
 */
function totals(aggregation: NormalAggregation, rollups?: string, distinctValues?: string): string {
  const parts = (quantity: string): string => `
    SELECT group_id, group_key, count(value) AS events, count(*) - count(value) AS skipped, ${quantity} AS quantity
    FROM raw GROUP BY group_id, group_key ${rollups ? `UNION ALL ${rollups}` : ''}`;
  if (aggregation.type !== 'count_distinct') {
    const combine = aggregation.type === 'max' ? 'max' : 'sum';
    return `total AS (
      SELECT group_key, sum(events) AS events, sum(skipped) AS skipped, ${combine}(quantity) AS quantity
      FROM (${parts(`${combine}(value)`)}) part GROUP BY group_key)`;
  }
  return `
    seen AS (
      SELECT group_id, count(DISTINCT value) AS quantity
      FROM (SELECT group_id, value FROM raw WHERE value IS NOT NULL ${distinctValues ? `UNION ALL ${distinctValues}` : ''}) one
      GROUP BY group_id),
    total AS (
      SELECT group_key, sum(events) AS events, sum(skipped) AS skipped, coalesce(max(seen.quantity), 0) AS quantity
      FROM (${parts('NULL::numeric')}) part LEFT JOIN seen USING (group_id) GROUP BY group_key)`;
}
