import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '#libs/kernel/postgres';
import type { MeterRole } from './live-meters.js';

/** The database tables with rows for each meter. */
const TABLES = ['rollups', 'distinct_values', 'recurrences'] as const;

/** Deletes the meters that were live before the last rebuild, of one workspace or of all workspaces. Returns their number. */
export async function dropOldMeters(pool: Pool, workspaceId: string | undefined): Promise<number> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT m.key FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
     WHERE m.role = 'old' AND ($1::text IS NULL OR s.workspace_id = $1) ORDER BY m.id`,
    [workspaceId ?? null],
  );
  for (const { key } of rows) await inTransaction(pool, (tx) => dropMeter(tx, key, 'old'));
  return rows.length;
}

/** Deletes the meter with the given key and role, and its rows. If there is no such meter, the function does nothing. */
export async function dropMeter(
  tx: PoolClient,
  key: string,
  role: Exclude<MeterRole, 'live'>,
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'DELETE FROM usage.meters WHERE key = $1 AND role = $2 RETURNING id',
    [key, role],
  );
  for (const { id } of rows)
    for (const table of TABLES) await tx.query(`DELETE FROM usage.${table} WHERE meter_id = $1`, [id]);
}
