import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Decimal, decimalString, InvalidRequest, type DecimalString, type Instant } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  normaliseAggregation,
  type MeterAggregation,
  type NormalisedAggregation,
} from '../meters/definition.js';
import { aggregationSql, presentGroup, SqlParameters, type Statement } from '../meters/sql.js';
import { nextMillisecond } from './next-millisecond.js';

export const WINDOW_SIZES = ['MINUTE', 'HOUR', 'DAY', 'MONTH'] as const;
export type WindowSize = (typeof WINDOW_SIZES)[number];

/** A query of the usage log that is not based on a metric. */
export interface EventQuery {
  readonly workspaceId: string;
  readonly eventName: string;
  readonly aggregation: MeterAggregation;
  /** The customers. If absent, the query is for all customers of the workspace. */
  readonly customerIds?: readonly string[] | undefined;
  /** The inclusive start. */
  readonly startTime: Instant;
  /** The exclusive end. The default is just after the workspace's present instant. */
  readonly endTime?: Instant | undefined;
  /** The size of the windows. If there is no window size, the query returns one value for the whole range, or one for each group. */
  readonly windowSize?: WindowSize | undefined;
  /** The IANA time zone whose calendar determines the start of each window. */
  readonly windowTimeZone: string;
}

/**
 * The value of one time window and group. The first and the last window can reach beyond the range, but only events in the range are
 * included.
 */
export interface EventQueryResult {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
  /** The group's values of the `groupBy` properties. Empty if the query does not group events. */
  readonly group: Readonly<Record<string, string>>;
  /** The result of the aggregation for the window and group. */
  readonly value: DecimalString;
}

interface Row {
  window_start: Instant;
  window_end: Instant;
  group_key: (string | null)[];
  value: string;
}

const MAX_RESULTS = 10_000;
const TIMEOUT_MILLIS = 15_000;
const QUERY_CANCELED = '57014';
/** The SQLSTATE of a time zone that Postgres does not know. */
const INVALID_PARAMETER_VALUE = '22023';

/** Aggregates events directly from the usage log. Billing does not use these queries, because billing measures by meters. */
@Injectable()
export class EventAggregationQueries {
  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Returns the results in order of time, and then in order of group. Windows and groups without counted events are omitted. A query
   * without windows and groups always has one result, which is 0 if there are no events. Throws InvalidRequest for an empty range, and for
   * a time zone that Postgres does not know. Also throws it for more than 10,000 results (`query_too_large`), or if reading the events
   * takes more than 15 seconds (`query_too_slow`).
   */
  async query(query: EventQuery): Promise<EventQueryResult[]> {
    const endTime = query.endTime ?? nextMillisecond(await this.clock.now(query.workspaceId));
    if (endTime <= query.startTime)
      throw InvalidRequest.field('startTime', `must be before the end, ${endTime}`);
    const aggregation = normaliseAggregation(query.aggregation);
    const { text, values } = statementOf({ ...query, endTime }, aggregation);
    const rows = await inTransaction(this.pool, async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${TIMEOUT_MILLIS}`);
      return (await tx.query<Row>(text, values)).rows;
    }).catch((error: unknown) => {
      const { code } = error as { code?: string };
      if (code === INVALID_PARAMETER_VALUE)
        throw InvalidRequest.field('windowTimeZone', 'is not known to the database; use another name of it');
      if (code !== QUERY_CANCELED) throw error;
      throw new InvalidRequest(
        'query_too_slow',
        `The query needs more than ${TIMEOUT_MILLIS / 1000} seconds; ask for a shorter time range or fewer customers`,
      );
    });
    if (rows.length > MAX_RESULTS)
      throw new InvalidRequest(
        'query_too_large',
        `The query has more than ${MAX_RESULTS} results; ask for a shorter time range, a larger window or fewer groups`,
      );
    if (rows.length === 0 && query.windowSize === undefined && aggregation.groupBy.length === 0)
      return [{ windowStart: query.startTime, windowEnd: endTime, group: {}, value: '0' }];
    return rows.map((row) => ({
      windowStart: row.window_start,
      windowEnd: row.window_end,
      group: presentGroup(aggregation, row.group_key),
      value: decimalString(new Decimal(row.value)),
    }));
  }
}

function statementOf(
  query: EventQuery & { endTime: Instant },
  aggregation: NormalisedAggregation,
): Statement {
  const parameters = new SqlParameters();
  const {
    filterCondition: matches,
    value,
    groupKey,
    combineFunction: combine,
  } = aggregationSql(aggregation, parameters);
  const start = parameters.add(query.startTime, 'timestamptz');
  const end = parameters.add(query.endTime, 'timestamptz');
  const window = query.windowSize
    ? windowSql(query.windowSize, parameters.add(unabbreviated(query.windowTimeZone), 'text'))
    : { key: start, start: 'window_key', end };
  const customers =
    query.customerIds === undefined
      ? 'true'
      : `series_id IN (SELECT id FROM usage.series WHERE customer_id = ANY(${parameters.add(query.customerIds, 'text[]')}))`;
  const text = `
    SELECT ${window.start} AS window_start, ${window.end} AS window_end, group_key,
      ${aggregation.type === 'count_distinct' ? 'count(DISTINCT value)' : `${combine}(value)`} AS value
    FROM (
      SELECT ${window.key} AS window_key, ${groupKey} AS group_key, ${value} AS value
      FROM usage.events
      WHERE stream_id = (
          SELECT id FROM usage.streams
          WHERE workspace_id = ${parameters.add(query.workspaceId, 'text')}
            AND event_name = ${parameters.add(query.eventName, 'text')})
        AND timestamp >= ${start} AND timestamp < ${end} AND ${customers} AND ${matches}
      OFFSET 0
    ) event
    WHERE value IS NOT NULL
    GROUP BY window_key, group_key ORDER BY window_key, group_key LIMIT ${MAX_RESULTS + 1}`;
  return { text, values: parameters.values };
}

/** The SQL of a time window: the key that all its events share, and the start and end for a `window_key`. */
interface WindowSql {
  readonly key: string;
  readonly start: string;
  readonly end: string;
}

/**
 * Returns the SQL of the time windows of a size. Windows of a minute or an hour have the same length in every time zone. A window of a day
 * or month is a local day or month, and ends when the next one begins. The day of a clock change therefore has 23 or 25 hours.
 */
function windowSql(size: WindowSize, zone: string): WindowSql {
  const unit = size.toLowerCase();
  switch (size) {
    case 'MINUTE':
    case 'HOUR':
      return {
        key: `date_trunc('${unit}', timestamp, ${zone})`,
        start: 'window_key',
        end: `window_key + interval '1 ${unit}'`,
      };
    case 'DAY':
    case 'MONTH':
      return {
        key: `date_trunc('${unit}', timestamp AT TIME ZONE ${zone})`,
        start: firstInstantSql('window_key', zone),
        end: firstInstantSql(`(window_key + interval '1 ${unit}')`, zone),
      };
  }
}

/**
 * Returns a name of a time zone that Postgres reads in the same way. Postgres reads a name without a slash as an abbreviation, so its `CET`
 * has no summer time, and its `IST` is in Israel.
 */
function unabbreviated(zone: string): string {
  return zone.includes('/')
    ? zone
    : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
}

/** Returns SQL for the first instant with a local time. If a clock change repeats the local time, Postgres itself takes the second one. */
function firstInstantSql(local: string, zone: string): string {
  const known = `(${local} AT TIME ZONE ${zone})`;
  const earlier = `(${known} - interval '1 hour')`;
  return `CASE WHEN ${earlier} AT TIME ZONE ${zone} = ${local} THEN ${earlier} ELSE ${known} END`;
}
