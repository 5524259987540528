import type { Pool } from 'pg';
import { inTransaction } from './transaction.js';

/**
 * Rejects if Postgres cannot write to its disk, for example because the disk is full. A read succeeds then. Postgres writes the rows of this
 * query, about 400 kB, to a temporary file, since they exceed its memory. The query leaves nothing behind and needs no rights.
 */
export async function checkWritable(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(`SET LOCAL work_mem = '64kB'`);
    await tx.query('SELECT count(*) FROM generate_series(1, 20000)');
  });
}
