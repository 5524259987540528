import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { inTransaction } from '#libs/postgres';
import type { Watermark } from '../log-head.js';
import { meterKey, normalise, type MetricDefinition, type NormalAggregation } from './definition.js';
import { aggregationSql, groupId, Parameters } from './sql.js';

/** A meter as its row says. */
export interface Meter {
  readonly id: string;
  /** The stream of events that it folds. */
  readonly streamId: number;
  readonly aggregation: NormalAggregation;
}

interface MeterRow {
  id: string;
  stream_id: number;
  aggregation: NormalAggregation;
}

/** Events that are folded in one transaction: about half a second of work, so that nobody waits long for a meter. */
const EVENTS_PER_FOLD = 100_000;

/** The meters and their folding: log order, each event once, whoever does it. */
@Injectable()
export class MeterStore {
  constructor(private readonly pool: Pool) {}

  /** The meter of a definition, made if there is none. */
  async ensure(definition: MetricDefinition): Promise<Meter> {
    const key = meterKey(definition);
    const known = await this.find(key);
    if (known) return known;
    const { accountId, eventName, aggregation } = definition;
    await this.pool.query(
      'INSERT INTO usage.streams (account_id, event_name) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [accountId, eventName],
    );
    await this.pool.query(
      `INSERT INTO usage.meters (key, stream_id, aggregation)
       SELECT $1, id, $4 FROM usage.streams WHERE account_id = $2 AND event_name = $3
       ON CONFLICT DO NOTHING`,
      [key, accountId, eventName, JSON.stringify(normalise(aggregation))],
    );
    return (await this.find(key))!;
  }

  /** Meters that have events to fold, of these streams or of all. */
  async behind(streams: readonly number[] | undefined): Promise<Meter[]> {
    const { rows } = await this.pool.query<MeterRow>(
      `SELECT m.id, m.stream_id, m.aggregation FROM usage.meters m
       WHERE ($1::int[] IS NULL OR m.stream_id = ANY($1))
         AND EXISTS (SELECT 1 FROM usage.events e WHERE e.stream_id = m.stream_id AND e.seq > m.watermark)`,
      [streams ?? null],
    );
    return rows.map(toMeter);
  }

  /** Folds until the meter has all events up to `head`. Waits for others that fold it. */
  async catchUp(meter: Meter, head: Watermark): Promise<void> {
    const { rows } = await this.pool.query<{ behind: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM usage.events e WHERE e.stream_id = m.stream_id AND e.seq > m.watermark AND e.seq <= $2)
         AS behind
       FROM usage.meters m WHERE m.id = $1`,
      [meter.id, head],
    );
    if (rows[0]?.behind) while (await this.foldNext(meter, head, 'wait'));
  }

  /**
   * Folds the meter's next events up to `head`, at most {@link EVENTS_PER_FOLD}, in one transaction.
   *
   * @param ifBusy whether to wait for another process that folds this meter, or to leave it to that one
   * @returns whether there are more to fold up to `head`
   */
  async foldNext(meter: Meter, head: Watermark, ifBusy: 'wait' | 'leave'): Promise<boolean> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ watermark: Watermark }>(
        `SELECT watermark FROM usage.meters WHERE id = $1 FOR UPDATE ${ifBusy === 'leave' ? 'SKIP LOCKED' : ''}`,
        [meter.id],
      );
      const from = rows[0]?.watermark;
      if (from === undefined || BigInt(from) >= BigInt(head)) return false;
      const to = (await endOfChunk(tx, meter, from, head)) ?? head;
      const { text, values } = foldStatement(meter, from, to);
      await tx.query(text, values);
      await tx.query('UPDATE usage.meters SET watermark = $2 WHERE id = $1', [meter.id, to]);
      return to !== head;
    });
  }

  private async find(key: string): Promise<Meter | undefined> {
    const { rows } = await this.pool.query<MeterRow>(
      'SELECT id, stream_id, aggregation FROM usage.meters WHERE key = $1',
      [key],
    );
    return rows[0] && toMeter(rows[0]);
  }
}

function toMeter(row: MeterRow): Meter {
  return { id: row.id, streamId: row.stream_id, aggregation: row.aggregation };
}

/** The seq of the last event of a full chunk; undefined if there are fewer events. */
async function endOfChunk(
  tx: PoolClient,
  meter: Meter,
  from: Watermark,
  head: Watermark,
): Promise<Watermark | undefined> {
  const { rows } = await tx.query<{ seq: Watermark }>(
    `SELECT seq FROM usage.events WHERE stream_id = $1 AND seq > $2 AND seq <= $3
     ORDER BY seq OFFSET ${EVENTS_PER_FOLD - 1} LIMIT 1`,
    [meter.streamId, from, head],
  );
  return rows[0]?.seq;
}

/** One pass over the events after `from` up to `to`, added to the rollups. */
function foldStatement(meter: Meter, from: Watermark, to: Watermark): { text: string; values: unknown[] } {
  const parameters = new Parameters();
  const { matches, value, groupKey, combine } = aggregationSql(meter.aggregation, parameters);
  const distinct = meter.aggregation.type === 'count_distinct';
  const meterId = parameters.add(meter.id, 'bigint');
  const quantity = {
    sum: 'coalesce(rollup.quantity + excluded.quantity, rollup.quantity, excluded.quantity)',
    max: 'greatest(rollup.quantity, excluded.quantity)',
  }[combine];
  const text = `
    WITH chunk AS ${distinct ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT series_id, date_bin('1 hour', timestamp, 'epoch') AS hour, seq, ${groupKey} AS group_key, ${value} AS value
      FROM usage.events
      WHERE stream_id = ${parameters.add(meter.streamId, 'int')}
        AND seq > ${parameters.add(from, 'bigint')} AND seq <= ${parameters.add(to, 'bigint')} AND ${matches}
    )${distinct ? `, seen AS (${insertDistinctValues(meter, meterId)})` : ''}
    INSERT INTO usage.rollups AS rollup
      (meter_id, series_id, hour, group_id, group_key, events, skipped, quantity, last_seq)
    SELECT ${meterId}, series_id, hour, ${groupId(meter.aggregation, 'group_key')}, group_key,
      count(value), count(*) - count(value), ${distinct ? 'NULL' : `${combine}(value)`}, max(seq)
    FROM chunk GROUP BY series_id, hour, group_key
    ON CONFLICT (meter_id, series_id, hour, group_id) DO UPDATE SET
      events = rollup.events + excluded.events,
      skipped = rollup.skipped + excluded.skipped,
      quantity = ${quantity},
      last_seq = excluded.last_seq`;
  return { text, values: parameters.values };
}

function insertDistinctValues(meter: Meter, meterId: string): string {
  return `
    INSERT INTO usage.distinct_values (meter_id, series_id, hour, group_id, value)
    SELECT DISTINCT ${meterId}, series_id, hour, ${groupId(meter.aggregation, 'group_key')}, value
    FROM chunk WHERE value IS NOT NULL
    ON CONFLICT DO NOTHING`;
}
