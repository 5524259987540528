import { parseJson, type Instant } from '#libs/kernel/core';

/** A usage event as it is read from the usage log. Numbers in the event's properties keep every digit. */
export interface StoredEvent {
  readonly id: string;
  readonly customerId: string;
  readonly eventName: string;
  /** The timestamp in UTC, with microseconds if the event was sent with them. */
  readonly timestamp: string;
  readonly idempotencyKey: string | null;
  readonly properties: Record<string, unknown>;
  /** The instant at which the event was stored, by the machine's clock (not the workspace's). */
  readonly ingestedAt: Instant;
}

/** A database row with the columns {@link STORED_EVENT_COLUMNS}. */
export interface StoredEventRow {
  id: string;
  customer_id: string;
  event_name: string;
  timestamp: string;
  idempotency_key: string | null;
  properties: string;
  recorded_at: string;
}

/**
 * The columns of an event `e` of usage.events, with its rows `s` of usage.series and `t` of usage.streams. The jsonb column is returned as
 * text, because node-postgres would parse its numbers as doubles.
 */
export const STORED_EVENT_COLUMNS =
  'e.id, s.customer_id, t.event_name, e.timestamp, e.idempotency_key, e.properties::text AS properties, e.recorded_at';

export function toStoredEvent(row: StoredEventRow): StoredEvent {
  return {
    id: row.id,
    customerId: row.customer_id,
    eventName: row.event_name,
    timestamp: row.timestamp,
    idempotencyKey: row.idempotency_key,
    properties: parseJson(row.properties) as Record<string, unknown>,
    ingestedAt: `${row.recorded_at.slice(0, 23)}Z`,
  };
}
