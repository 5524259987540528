import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { inTransaction } from '#libs/postgres';
import { meterKey, normalise, type MetricDefinition, type NormalAggregation } from './definition.js';
import { aggregationSql, groupId, Parameters } from './sql.js';

/** A meter as its row says. */
export interface Meter {
  readonly id: string;
  readonly accountId: string;
  readonly eventName: string;
  readonly aggregation: NormalAggregation;
}

interface MeterRow {
  id: string;
  account_id: string;
  event_name: string;
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
    await this.pool.query(
      `INSERT INTO usage.meters (key, account_id, event_name, aggregation) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key) DO NOTHING`,
      [key, definition.accountId, definition.eventName, JSON.stringify(normalise(definition.aggregation))],
    );
    return (await this.find(key))!;
  }

  /** Meters whose events have come further than they, the furthest behind first. */
  async behind(limit: number): Promise<Meter[]> {
    const { rows } = await this.pool.query<MeterRow>(
      `SELECT m.id, m.account_id, m.event_name, m.aggregation
       FROM usage.meters m JOIN usage.heads h USING (account_id, event_name)
       WHERE h.last_seq > m.watermark ORDER BY h.last_seq - m.watermark DESC LIMIT $1`,
      [limit],
    );
    return rows.map(toMeter);
  }

  /** Whether every event that is in the log now has been folded. */
  async isCurrent(meter: Meter): Promise<boolean> {
    const { rows } = await this.pool.query<{ current: boolean }>(
      `SELECT watermark >= ${HEAD} AS current FROM usage.meters WHERE id = $3`,
      [meter.accountId, meter.eventName, meter.id],
    );
    return rows[0]?.current ?? false;
  }

  /** Folds until the meter has every event that was in the log at the call. Waits for others that fold it. */
  async catchUp(meter: Meter): Promise<void> {
    const { rows } = await this.pool.query<{ head: string }>(`SELECT ${HEAD} AS head`, [
      meter.accountId,
      meter.eventName,
    ]);
    const target = BigInt(rows[0]!.head);
    for (;;) {
      const watermark = await this.foldNext(meter, 'wait');
      if (watermark === undefined || watermark >= target) return;
    }
  }

  /**
   * Folds the meter's next events, at most {@link EVENTS_PER_FOLD}, in one transaction.
   *
   * @param ifBusy whether to wait for another process that folds this meter, or to leave it to that one
   * @returns how far the meter is now; undefined if it is gone or left to another
   */
  async foldNext(meter: Meter, ifBusy: 'wait' | 'leave'): Promise<bigint | undefined> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ watermark: string }>(
        `SELECT watermark FROM usage.meters WHERE id = $1 FOR UPDATE ${ifBusy === 'leave' ? 'SKIP LOCKED' : ''}`,
        [meter.id],
      );
      if (!rows[0]) return undefined;
      const from = rows[0].watermark;
      const to = await nextWatermark(tx, meter, from);
      if (BigInt(to) > BigInt(from)) {
        const { text, values } = foldStatement(meter, from, to);
        await tx.query(text, values);
        await tx.query('UPDATE usage.meters SET watermark = $2 WHERE id = $1', [meter.id, to]);
      }
      return BigInt(to);
    });
  }

  private async find(key: string): Promise<Meter | undefined> {
    const { rows } = await this.pool.query<MeterRow>(
      'SELECT id, account_id, event_name, aggregation FROM usage.meters WHERE key = $1',
      [key],
    );
    return rows[0] && toMeter(rows[0]);
  }
}

const HEAD = `coalesce((SELECT last_seq FROM usage.heads WHERE account_id = $1 AND event_name = $2), 0)`;

function toMeter(row: MeterRow): Meter {
  return { id: row.id, accountId: row.account_id, eventName: row.event_name, aggregation: row.aggregation };
}

/** How far the next fold goes: to the head, or less if that is too many events. */
async function nextWatermark(tx: PoolClient, meter: Meter, from: string): Promise<string> {
  const { rows } = await tx.query<{ to: string }>(
    `SELECT greatest($3::bigint, coalesce(
       (SELECT seq FROM usage.events WHERE account_id = $1 AND event_name = $2 AND seq > $3::bigint
        ORDER BY seq OFFSET ${EVENTS_PER_FOLD - 1} LIMIT 1),
       ${HEAD})) AS to`,
    [meter.accountId, meter.eventName, from],
  );
  return rows[0]!.to;
}

/** One pass over the events after `from` up to `to`, added to the rollups. */
function foldStatement(meter: Meter, from: string, to: string): { text: string; values: unknown[] } {
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
      SELECT customer_id, date_bin('1 hour', timestamp, 'epoch') AS hour, seq, ${groupKey} AS group_key, ${value} AS value
      FROM usage.events
      WHERE account_id = ${parameters.add(meter.accountId, 'text')}
        AND event_name = ${parameters.add(meter.eventName, 'text')}
        AND seq > ${parameters.add(from, 'bigint')} AND seq <= ${parameters.add(to, 'bigint')} AND ${matches}
    )${distinct ? `, seen AS (${insertDistinctValues(meter, meterId)})` : ''}
    INSERT INTO usage.rollups AS rollup
      (meter_id, customer_id, hour, group_id, group_key, events, skipped, quantity, last_seq)
    SELECT ${meterId}, customer_id, hour, ${groupId(meter.aggregation, 'group_key')}, group_key,
      count(value), count(*) - count(value), ${distinct ? 'NULL' : `${combine}(value)`}, max(seq)
    FROM chunk GROUP BY customer_id, hour, group_key
    ON CONFLICT (meter_id, customer_id, hour, group_id) DO UPDATE SET
      events = rollup.events + excluded.events,
      skipped = rollup.skipped + excluded.skipped,
      quantity = ${quantity},
      last_seq = excluded.last_seq`;
  return { text, values: parameters.values };
}

function insertDistinctValues(meter: Meter, meterId: string): string {
  return `
    INSERT INTO usage.distinct_values (meter_id, customer_id, hour, group_id, value)
    SELECT DISTINCT ${meterId}, customer_id, hour, ${groupId(meter.aggregation, 'group_key')}, value
    FROM chunk WHERE value IS NOT NULL
    ON CONFLICT DO NOTHING`;
}
