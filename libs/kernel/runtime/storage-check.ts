import type { Pool } from 'pg';
import { CheckFailed, type ReadinessChecks } from './checks.js';

/** The SQLSTATE class of insufficient resources (PostgreSQL appendix A), such as a full disk. */
const NO_RESOURCES = /^53/;

/** The check that Postgres can write to its disk. While it cannot, no request can change anything, although reads succeed. */
export function storageCheck(pool: Pool): ReadinessChecks {
  return {
    storage: () =>
      writeTemporaryFile(pool).catch((error: unknown) => {
        const { code } = error as { code?: unknown };
        if (typeof code !== 'string' || !NO_RESOURCES.test(code)) throw error;
        throw new CheckFailed('Postgres cannot write to its disk');
      }),
  };
}

/**
 * Rejects if Postgres cannot write to its disk, for example because the disk is full. Postgres writes the rows of the query, about 400 kB,
 * to a temporary file, since they exceed its memory. The query leaves nothing behind and needs no rights.
 */
async function writeTemporaryFile(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL work_mem = '64kB'`);
    try {
      await client.query('SELECT count(*) FROM generate_series(1, 20000)');
    } finally {
      await client.query('ROLLBACK');
    }
    isBroken = false;
  } catch (error) {
    // The transaction of a full disk was rolled back, so its connection can be used again.
    isBroken = !NO_RESOURCES.test(String((error as { code?: unknown }).code));
    throw error;
  } finally {
    client.release(isBroken);
  }
}
