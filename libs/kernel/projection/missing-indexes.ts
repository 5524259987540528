import type { Pool, PoolClient } from 'pg';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import { createIndexesSql, type TableLayout } from './table-layout.js';

interface IndexRow {
  table: string;
  name: string;
  columns: string[];
  isValid: boolean;
}

/**
 * Adds missing indexes to live tables, without blocking reads and writes. An index whose creation was interrupted before is created again.
 * The creation of an index waits for the running transactions, so it can take long. `signal` interrupts the creation of an index.
 *
 * @returns the statements that created the indexes
 */
export async function addMissingIndexes(
  pool: Pool,
  layouts: readonly TableLayout[],
  signal: AbortSignal,
): Promise<string[]> {
  const connection = await pool.connect();
  try {
    const { pid } = (await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
    const cancel = (): void => void pool.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      return await addTo(connection, layouts, signal);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  } finally {
    // An aborted connection may have a pending cancel request, so it is not reused.
    connection.release(signal.aborted);
  }
}

async function addTo(
  connection: PoolClient,
  layouts: readonly TableLayout[],
  signal: AbortSignal,
): Promise<string[]> {
  const { rows } = await connection.query<IndexRow>(
    `SELECT c.relname AS table, i.indexrelid::regclass::text AS name, i.indisvalid AS "isValid",
       array(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum ORDER BY k.place) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = '${LIVE_SCHEMA}'::regnamespace`,
  );
  const made: string[] = [];
  for (const layout of layouts) {
    const existing = rows.filter(({ table }) => table === layout.table);
    for (const [at, statement] of createIndexesSql(layout, LIVE_SCHEMA, { concurrently: true }).entries()) {
      if (signal.aborted) return made;
      const { columns } = layout.indexes[at]!;
      const same = existing.filter((index) => index.columns.join() === columns.join());
      if (same.some(({ isValid }) => isValid)) continue;
      for (const { name } of same) await connection.query(`DROP INDEX CONCURRENTLY ${name}`);
      await connection.query(statement);
      made.push(statement);
    }
  }
  return made;
}
