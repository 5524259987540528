import { createPool } from './database.js';
import type { System, TestWorkspace } from './system.js';
import { untilWaiting } from './usage.js';

/** A wallet whose row is locked. */
export interface HeldWallet {
  /** Resolves when so many connections wait for a lock. */
  untilWaiting(sessions: number): Promise<void>;
}

/**
 * Holds the rows of a customer's wallets while `begin` sends requests, then lets these go on, and returns their answers.
 *
 * @param path the path of one of the wallets
 */
export async function whileWalletHeld<T>(
  system: System,
  { workspaceId }: TestWorkspace,
  path: string,
  begin: (held: HeldWallet) => Promise<readonly Promise<T>[]>,
): Promise<T[]> {
  const pool = createPool(system.database, 2);
  try {
    const holder = await pool.connect();
    await holder.query('BEGIN');
    await holder.query(
      'SELECT FROM credits.wallets WHERE workspace_id = $1 AND customer_id = $2 FOR UPDATE',
      [workspaceId, path.split('/')[3]],
    );
    const sent = await begin({ untilWaiting: async (sessions) => untilWaiting(pool, sessions) });
    await holder.query('COMMIT');
    holder.release();
    return await Promise.all(sent);
  } finally {
    await pool.end();
  }
}
