import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { STORED_EVENT_COLUMNS, toStoredEvent, type StoredEventRow } from './queries/stored-event.js';

/** The number of events of one page. The page is small, because the properties of events can be large. */
const PAGE = 500;

/** All usage events of the customer, by event name and then by time. */
@Injectable()
class UsageEventsSource implements CustomerDataSource {
  constructor(private readonly pool: Pool) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const { rows: series } = await this.pool.query<{ id: number }>(
      `SELECT s.id FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
       WHERE t.workspace_id = $1 AND s.customer_id = $2 ORDER BY t.event_name`,
      [workspaceId, customerId],
    );
    for (const { id } of series) yield* this.eventsOf(id);
  }

  /** A database index contains the events of a customer and an event name in the order of this query. */
  private async *eventsOf(seriesId: number): AsyncGenerator<object> {
    for (let after = ['-infinity', '0']; ;) {
      const { rows } = await this.pool.query<StoredEventRow & { seq: string }>(
        `SELECT ${STORED_EVENT_COLUMNS}, e.seq FROM usage.events e
         JOIN usage.series s ON s.id = e.series_id JOIN usage.streams t ON t.id = e.stream_id
         WHERE e.series_id = $1 AND (e.timestamp, e.seq) > ($2, $3) ORDER BY e.timestamp, e.seq LIMIT ${PAGE}`,
        [seriesId, ...after],
      );
      for (const row of rows) yield toStoredEvent(row);
      if (rows.length < PAGE) return;
      const { timestamp, seq } = rows.at(-1)!;
      after = [timestamp, seq];
    }
  }
}

export const customerData: readonly CustomerDataPart[] = [
  {
    name: 'usageEvents',
    source: UsageEventsSource,
    columns: ['id', 'customerId', 'eventName', 'timestamp', 'idempotencyKey', 'properties', 'ingestedAt'],
  },
];
