import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, instantFromMillis, instantToMillis, type Instant } from '#libs/core';
import { WorkspaceClock } from '#libs/workspaces';
import { STORED_EVENT_COLUMNS, toStoredEvent, type StoredEvent, type StoredEventRow } from './stored-event.js';

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

/** Reads single events back. */
@Injectable()
export class ListEvents {
  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
  ) {}

  /** The newest first; events of one moment in the reverse order of their arrival. */
  async list(request: EventListRequest): Promise<StoredEvent[]> {
    // An event that was just stored without a time has the present moment, on a frozen clock for as long as it stands.
    const end = request.endTime ?? afterThis(await this.clock.now(request.accountId));
    const start = request.startTime ?? addSeconds(end, -DEFAULT_SECONDS);
    const { rows } = await this.pool.query<StoredEventRow>(
      `SELECT ${STORED_EVENT_COLUMNS} FROM usage.events
       WHERE account_id = $1 AND timestamp >= $2 AND timestamp < $3
         ${request.customerId === undefined ? 'AND $6::text IS NULL' : 'AND customer_id = $6'}
         ${request.eventName === undefined ? 'AND $7::text IS NULL' : 'AND event_name = $7'}
       ORDER BY timestamp DESC, seq DESC LIMIT $4 OFFSET $5`,
      [
        request.accountId,
        start,
        end,
        request.limit,
        request.offset,
        request.customerId ?? null,
        request.eventName ?? null,
      ],
    );
    return rows.map(toStoredEvent);
  }
}

function afterThis(instant: Instant): Instant {
  return instantFromMillis(instantToMillis(instant) + 1);
}
