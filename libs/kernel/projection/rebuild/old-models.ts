import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { inTransaction } from '#libs/kernel/postgres';
import { loadCheckpoints } from '../checkpoints.js';
import type { Projection } from '../projection.js';
import { layoutOf } from '../table-layout.js';
import { requireOldTablesDroppable } from './dependents.js';
import { OLD_SCHEMA } from './schemas.js';

/** Returns the names of the tables of `projections`: the tables that this program creates, and the live tables. */
export async function tableNamesOf(
  projections: readonly Projection[],
  { pool, dataSource }: { pool: Pool; dataSource: DataSource },
): Promise<string[]> {
  const live = await loadCheckpoints(pool);
  const tables = projections.flatMap(({ name, entities }) => [
    ...entities.map((entity) => layoutOf(dataSource, entity).table),
    ...(live.get(name)?.tables ?? []),
  ]);
  return [...new Set(tables)];
}

/** Returns the tables that swaps have replaced and that are still kept: a map from the name of each table to its size in bytes. */
export async function listOldTables(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ table: string; bytes: number }>(
    `SELECT relname AS table, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relnamespace = '${OLD_SCHEMA}'::regnamespace AND relkind = 'r' ORDER BY relname`,
  );
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}

/**
 * Drops the given tables, or all tables, that were kept after a swap. Either all of the chosen tables are dropped or none. Returns their
 * names. Throws {@link BlockedByDependentObjects} if an object depends on one of the tables.
 */
export async function dropOldModelTables(pool: Pool, tables: readonly string[] | 'all'): Promise<string[]> {
  const kept = [...(await listOldTables(pool)).keys()];
  const dropped = tables === 'all' ? kept : kept.filter((table) => tables.includes(table));
  await inTransaction(pool, async (tx) => {
    await requireOldTablesDroppable(tx, dropped);
    for (const table of dropped) await tx.query(`DROP TABLE IF EXISTS ${OLD_SCHEMA}.${table}`);
  });
  return dropped;
}
