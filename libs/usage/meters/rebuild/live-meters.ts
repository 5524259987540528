import type { Pool } from 'pg';
import { tryLock, withLockConnection, type Queryable } from '#libs/kernel/postgres';
import type { Watermark } from '../../log-head.js';
import type { NormalisedAggregation } from '../definition.js';
import type { Meter } from '../meter.js';

/**
 * The role of a meter. A `live` meter is used for measurements, a `next` meter will replace it, an `old` meter was replaced, and a `check`
 * meter verifies a live meter.
 */
export type MeterRole = 'live' | 'next' | 'old' | 'check';

/** A meter that is used for measurements, with its workspace and event name. */
export interface LiveMeter extends Meter {
  /** Identifies the workspace, event name and aggregation. The copies of a meter in other roles have the same key. */
  readonly key: string;
  readonly workspaceId: string;
  readonly eventName: string;
}

/** Thrown if another process rebuilds or verifies meters. */
export class MetersBusy extends Error {
  constructor() {
    super('Meters are being rebuilt or verified by another process');
  }
}

/** Returns the meters that are used for measurements, of one workspace or of all workspaces. */
export async function findLiveMeters(pool: Pool, workspaceId: string | undefined): Promise<LiveMeter[]> {
  const { rows } = await pool.query<{
    id: string;
    key: string;
    streamId: number;
    aggregation: NormalisedAggregation;
    workspaceId: string;
    eventName: string;
  }>(
    `SELECT m.id, m.key, m.stream_id AS "streamId", m.aggregation, s.workspace_id AS "workspaceId", s.event_name AS "eventName"
     FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
     WHERE m.role = 'live' AND ($1::text IS NULL OR s.workspace_id = $1) ORDER BY m.id`,
    [workspaceId ?? null],
  );
  return rows;
}

/**
 * Returns a second meter with the definition of a live meter, in the role `next` or `check`. Creates the second meter if it does not exist.
 */
export async function getOrCreateSecondMeter(
  pool: Pool,
  live: LiveMeter,
  role: 'next' | 'check',
): Promise<Meter> {
  await pool.query(
    `INSERT INTO usage.meters (key, stream_id, aggregation, role) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [live.key, live.streamId, JSON.stringify(live.aggregation), role],
  );
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM usage.meters WHERE key = $1 AND role = $2',
    [live.key, role],
  );
  return { id: rows[0]!.id, streamId: live.streamId, aggregation: live.aggregation };
}

/**
 * Returns the position in the usage log up to which a meter is folded. With `lock`, the meter is not folded further until the transaction
 * ends.
 */
export async function watermarkOf(db: Queryable, { id }: Meter, lock = false): Promise<Watermark> {
  const { rows } = await db.query<{ watermark: Watermark }>(
    `SELECT watermark FROM usage.meters WHERE id = $1${lock ? ' FOR UPDATE' : ''}`,
    [id],
  );
  return rows[0]!.watermark;
}

/**
 * Runs `work` while no other process rebuilds or verifies meters. Throws {@link MetersBusy} if another process rebuilds or verifies meters.
 */
export async function runAsOnlyMeterBuild<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const never = new AbortController().signal;
  return withLockConnection(pool, never, async (connection) => {
    if (!(await tryLock(connection, `hashtextextended('usage.rebuild_meters', 0)`))) throw new MetersBusy();
    return work();
  });
}
