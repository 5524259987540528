import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, InvalidRequest, type Instant, type ListOrder, type ListPart } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { MetricDefinition } from '../meters/definition.js';
import { SqlParameters, type Statement } from '../meters/sql.js';
import { unmatchedSql } from '../unmatched/unmatched-sql.js';
import { nextMillisecond } from './next-millisecond.js';
import {
  STORED_EVENT_COLUMNS,
  toStoredEvent,
  type StoredEvent,
  type StoredEventRow,
} from './stored-event.js';

/** The conditions that select the events of a list. */
export interface EventListRequest {
  readonly workspaceId: string;
  readonly customerId?: string | undefined;
  readonly eventName?: string | undefined;
  /** The inclusive start. The default is 30 days before the end, or before the workspace's present instant if no end is given. */
  readonly startTime?: Instant | undefined;
  /** The exclusive end. The default is just after the workspace's present instant. */
  readonly endTime?: Instant | undefined;
  readonly part: ListPart;
  /** The workspace's metrics in force. If metrics are given, the list contains only events that no metric counts or that a metric skips. */
  readonly unmatchedBy?: readonly MetricDefinition[] | undefined;
}

const DEFAULT_SECONDS = 30 * 86_400;

/** The time limit of the query is below that of the request, so that a slow query gets an error of its own. */
const TIMEOUT_MILLIS = 7_000;
/** Postgres accepts at most 65,535 parameters in one statement. */
const MAX_PARAMETERS = 60_000;
const QUERY_CANCELED = '57014';

/** Returns a statement that selects the newest events of each stream or series in index order, and then the newest of all. */
function newest(request: EventListRequest, start: Instant, end: Instant): Statement {
  const parameters = new SqlParameters();
  const { workspaceId, customerId, eventName, part, unmatchedBy } = request;
  const { limit, offset, after } = part;
  const workspace = parameters.add(workspaceId, 'text');
  const name = parameters.add(eventName ?? null, 'text');
  const from = parameters.add(start, 'timestamptz');
  const to = parameters.add(end, 'timestamptz');
  const most = parameters.add(limit, 'bigint');
  const left = parameters.add(offset, 'bigint');
  const [source, within] =
    customerId === undefined
      ? ['usage.streams t', 'e.stream_id = t.id']
      : [
          `usage.streams t JOIN usage.series s ON s.stream_id = t.id AND s.customer_id = ${parameters.add(customerId, 'text')}`,
          'e.series_id = s.id',
        ];
  const behind = after
    ? `AND (e.timestamp, e.seq) < (${parameters.add(after[0], 'timestamptz')}, ${parameters.add(after[1], 'bigint')})`
    : '';
  const unmatched = unmatchedBy && unmatchedSql(unmatchedBy, parameters);
  const text = `
  SELECT ${STORED_EVENT_COLUMNS}, e.seq
  FROM (
    SELECT one.* FROM ${source} CROSS JOIN LATERAL (
      SELECT * FROM usage.events e
      WHERE ${within} AND e.timestamp >= ${from} AND e.timestamp < ${to} ${behind} ${unmatched ? `AND ${unmatched.eventCondition}` : ''}
      ORDER BY e.timestamp DESC, e.seq DESC LIMIT ${most} + ${left}
    ) one
    WHERE t.workspace_id = ${workspace} AND (${name} IS NULL OR t.event_name = ${name})
      ${unmatched ? `AND ${unmatched.streamCondition}` : ''}
    ORDER BY one.timestamp DESC, one.seq DESC LIMIT ${most} OFFSET ${left}
  ) e
  JOIN usage.series s ON s.id = e.series_id
  JOIN usage.streams t ON t.id = e.stream_id
  ORDER BY e.timestamp DESC, e.seq DESC`;
  return { text, values: parameters.values };
}

/** An event of the list, with its position in the usage log. */
export interface ListedEvent extends StoredEvent {
  readonly seq: string;
}

/** Lists single events of the usage log. */
@Injectable()
export class UsageEventQueries {
  readonly listOrder: ListOrder<ListedEvent> = {
    list: 'events',
    keyParts: ['instant', 'number'],
    keyOf: ({ timestamp, seq }) => [timestamp, seq],
  };

  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Returns the events, newest first. Events with the same timestamp are in reverse order of their arrival. A search for uncounted events
   * may have to read all other events too. Throws InvalidRequest (`query_too_slow`) if such a search takes more than 7 seconds.
   */
  async list(request: EventListRequest): Promise<ListedEvent[]> {
    const { startTime, endTime } = request;
    const latest = endTime ?? (await this.clock.now(request.workspaceId));
    const end = endTime ?? nextMillisecond(latest);
    const start = startTime ?? addSeconds(latest, -DEFAULT_SECONDS);
    const { text, values } = newest(request, start, end);
    if (values.length > MAX_PARAMETERS)
      throw InvalidRequest.field(
        'event_name',
        'is needed to look for unmatched events: there are too many metrics',
        'query_too_large',
      );
    if (request.unmatchedBy === undefined)
      return (await this.pool.query<ListedRow>(text, values)).rows.map(toListed);
    const rows = await inTransaction(this.pool, async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${TIMEOUT_MILLIS}`);
      return (await tx.query<ListedRow>(text, values)).rows;
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
      throw new InvalidRequest(
        'query_too_slow',
        `The search for unmatched events takes more than ${TIMEOUT_MILLIS / 1000} seconds; ask for a shorter time range, or for one customer_id or event_name`,
      );
    });
    return rows.map(toListed);
  }
}

type ListedRow = StoredEventRow & { seq: string };

function toListed(row: ListedRow): ListedEvent {
  return { ...toStoredEvent(row), seq: row.seq };
}
