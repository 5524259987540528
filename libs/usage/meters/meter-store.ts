import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { inTransaction, preparedStatement } from '#libs/kernel/postgres';
import type { Watermark } from '../log-head.js';
import {
  meterKey,
  normaliseAggregation,
  type MeterDefinition,
  type NormalisedAggregation,
} from './definition.js';
import { foldStatement } from './fold-sql.js';
import type { Meter } from './meter.js';
import { USAGE_CHANGED_CHANNEL } from './mark-changed-watches-sql.js';

interface MeterRow {
  id: string;
  stream_id: number;
  aggregation: NormalisedAggregation;
}

/**
 * Stores the meters and adds new events to them, which is called folding. Each meter folds its events in the order of the usage log, and
 * each event once, even if several processes fold the meter.
 */
@Injectable()
export class MeterStore {
  /**
   * The maximum number of events that are folded into a meter in one transaction. Folding this number of events takes about half a second,
   * so no caller waits long for a meter.
   */
  readonly eventsPerFold: number = 100_000;

  constructor(private readonly pool: Pool) {}

  /** Returns the meter of a definition. Creates the meter if it does not exist. */
  async getOrCreate(definition: MeterDefinition): Promise<Meter> {
    const key = meterKey(definition);
    const known = await this.find(key);
    if (known) return known;
    const { workspaceId, eventName, aggregation } = definition;
    await this.pool.query(
      'INSERT INTO usage.streams (workspace_id, event_name) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [workspaceId, eventName],
    );
    await this.pool.query(
      `INSERT INTO usage.meters (key, stream_id, aggregation)
       SELECT $1, id, $4 FROM usage.streams WHERE workspace_id = $2 AND event_name = $3
       ON CONFLICT DO NOTHING`,
      [key, workspaceId, eventName, JSON.stringify(normaliseAggregation(aggregation))],
    );
    return (await this.find(key))!;
  }

  /**
   * Returns the stream and the aggregation that the definition reads. Returns undefined if the workspace never had an event with this event
   * name, nor a meter for this event name.
   */
  async meterInputOf({
    workspaceId,
    eventName,
    aggregation,
  }: MeterDefinition): Promise<Omit<Meter, 'id'> | undefined> {
    const { rows } = await this.pool.query<{ id: number }>(
      'SELECT id FROM usage.streams WHERE workspace_id = $1 AND event_name = $2',
      [workspaceId, eventName],
    );
    return rows[0] && { streamId: rows[0].id, aggregation: normaliseAggregation(aggregation) };
  }

  /** Returns the meters with unfolded events, of the given streams or of all streams. */
  async metersWithUnfoldedEvents(streams: readonly number[] | undefined): Promise<Meter[]> {
    const { rows } = await this.pool.query<MeterRow>(
      `SELECT m.id, m.stream_id, m.aggregation FROM usage.meters m
       WHERE m.role = 'live' AND ($1::int[] IS NULL OR m.stream_id = ANY($1))
         AND EXISTS (SELECT 1 FROM usage.events e WHERE e.stream_id = m.stream_id AND e.seq > m.watermark)`,
      [streams ?? null],
    );
    return rows.map(toMeter);
  }

  /** Returns the number of meters with unfolded events, and the age in seconds of the oldest unfolded event. */
  async readLag(): Promise<{ meters: number; seconds: number }> {
    const { rows } = await this.pool.query<{ meters: number; seconds: number }>(
      `SELECT count(*)::int AS meters, coalesce(extract(epoch FROM now() - min(e.recorded_at)), 0)::float8 AS seconds
       FROM usage.meters m CROSS JOIN LATERAL (
         SELECT recorded_at FROM usage.events WHERE stream_id = m.stream_id AND seq > m.watermark ORDER BY seq LIMIT 1
       ) e WHERE m.role = 'live'`,
    );
    return rows[0]!;
  }

  /** Folds events until the meter contains all events up to `head`. If other processes fold the same meter, the method waits for them. */
  async catchUp(meter: Meter, head: Watermark): Promise<void> {
    const { rows } = await this.pool.query<{ behind: boolean }>(
      preparedStatement(
        `SELECT EXISTS (SELECT 1 FROM usage.events e WHERE e.stream_id = m.stream_id AND e.seq > m.watermark AND e.seq <= $2)
           AS behind
         FROM usage.meters m WHERE m.id = $1`,
        [meter.id, head],
      ),
    );
    if (rows[0]?.behind) while (await this.foldNext(meter, head, 'wait'));
  }

  /**
   * Folds the next events of the meter up to `head` in one transaction, at most {@link eventsPerFold} events.
   *
   * @param ifBusy `wait` waits for another process that folds this meter; `leave` leaves the work to that process
   * @returns true if there can be more events to fold up to `head`; false also if another process folds the meter (`leave`)
   */
  async foldNext(meter: Meter, head: Watermark, ifBusy: 'wait' | 'leave'): Promise<boolean> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ watermark: Watermark; watched: boolean }>(
        `SELECT m.watermark, m.role = 'live' AND EXISTS (
           SELECT FROM usage.streams s JOIN usage.watches w USING (workspace_id) WHERE s.id = m.stream_id) AS watched
         FROM usage.meters m WHERE m.id = $1 FOR UPDATE OF m ${ifBusy === 'leave' ? 'SKIP LOCKED' : ''}`,
        [meter.id],
      );
      const { watermark: from, watched } = rows[0] ?? { watched: false };
      if (from === undefined || BigInt(from) >= BigInt(head)) return false;
      const to = (await this.endOfChunk(tx, meter, from, head)) ?? head;
      const { text, values } = foldStatement(meter, from, to, watched);
      const { rowCount } = await tx.query(text, values);
      if (watched && rowCount) await tx.query(`SELECT pg_notify('${USAGE_CHANGED_CHANNEL}', '')`);
      await tx.query('UPDATE usage.meters SET watermark = $2 WHERE id = $1', [meter.id, to]);
      return to !== head;
    });
  }

  /** Returns the position of the last one of the next `eventsPerFold` events up to `head`. Returns undefined if there are fewer events. */
  private async endOfChunk(
    tx: PoolClient,
    meter: Meter,
    from: Watermark,
    head: Watermark,
  ): Promise<Watermark | undefined> {
    const { rows } = await tx.query<{ seq: Watermark }>(
      `SELECT seq FROM usage.events WHERE stream_id = $1 AND seq > $2 AND seq <= $3
       ORDER BY seq OFFSET $4 LIMIT 1`,
      [meter.streamId, from, head, this.eventsPerFold - 1],
    );
    return rows[0]?.seq;
  }

  private async find(key: string): Promise<Meter | undefined> {
    const { rows } = await this.pool.query<MeterRow>(
      preparedStatement(
        `SELECT id, stream_id, aggregation FROM usage.meters WHERE key = $1 AND role = 'live'`,
        [key],
      ),
    );
    return rows[0] && toMeter(rows[0]);
  }
}

function toMeter(row: MeterRow): Meter {
  return { id: row.id, streamId: row.stream_id, aggregation: row.aggregation };
}
