import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, type Instant } from '#libs/core';
import { WorkspaceClock } from '#libs/workspaces';
import { justAfter } from './just-after.js';
import {
  STORED_EVENT_COLUMNS,
  toStoredEvent,
  type StoredEvent,
  type StoredEventRow,
} from './stored-event.js';

/** Which events of a workspace to list. */
export interface EventListRequest {
  readonly accountId: string;
  readonly customerId?: string | undefined;
  readonly eventName?: string | undefined;
  /** At or after; by default 30 days before the end. */
  readonly startTime?: Instant | undefined;
  /** Before; by default up to and including the workspace's present moment. */
  readonly endTime?: Instant | undefined;
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_SECONDS = 30 * 86_400;

/** The newest events of each of some streams or series, which an index has in order, and the newest of these. */
const newest = (from: string, within: string): string => `
  SELECT ${STORED_EVENT_COLUMNS}
  FROM (
    SELECT one.* FROM ${from} CROSS JOIN LATERAL (
      SELECT * FROM usage.events e WHERE ${within} AND e.timestamp >= $3 AND e.timestamp < $4
      ORDER BY e.timestamp DESC, e.seq DESC LIMIT $5::bigint + $6::bigint
    ) one
    WHERE t.account_id = $1 AND ($2::text IS NULL OR t.event_name = $2)
    ORDER BY one.timestamp DESC, one.seq DESC LIMIT $5 OFFSET $6
  ) e
  JOIN usage.series s ON s.id = e.series_id
  JOIN usage.streams t ON t.id = e.stream_id
  ORDER BY e.timestamp DESC, e.seq DESC`;

const OF_ALL = newest('usage.streams t', 'e.stream_id = t.id');
const OF_CUSTOMER = newest(
  'usage.streams t JOIN usage.series s ON s.stream_id = t.id AND s.customer_id = $7',
  'e.series_id = s.id',
);

/** Reads single events back. */
@Injectable()
export class ListEvents {
  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
  ) {}

  /** The newest first; events of one moment in the reverse order of their arrival. */
  async list(request: EventListRequest): Promise<StoredEvent[]> {
    const end = request.endTime ?? justAfter(await this.clock.now(request.accountId));
    const start = request.startTime ?? addSeconds(end, -DEFAULT_SECONDS);
    const { rows } = await this.pool.query<StoredEventRow>(
      request.customerId === undefined ? OF_ALL : OF_CUSTOMER,
      [
        request.accountId,
        request.eventName ?? null,
        start,
        end,
        request.limit,
        request.offset,
        ...(request.customerId === undefined ? [] : [request.customerId]),
      ],
    );
    return rows.map(toStoredEvent);
  }
}
