import type { Pool } from 'pg';

const NO_PARTITION = '23514';

/** Runs an append. If no partition for a new month exists yet, creates the partition and runs the append again. */
export async function appendInCurrentPartitions<T>(pool: Pool, append: () => Promise<T>): Promise<T> {
  try {
    return await append();
  } catch (error) {
    if ((error as { code?: string }).code !== NO_PARTITION) throw error;
    await pool.query('SELECT usage.ensure_partitions(1)');
    return append();
  }
}
