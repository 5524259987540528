import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** The key of the advisory lock that guards the structure of the tables. The number is arbitrary; its bytes spell "migr". */
export const MIGRATION_LOCK = 0x6d696772;

/** The pause before the lock is tried again. */
const RETRY_MILLIS = 200;

/**
 * Acquires the migration lock for this session. A session with the exclusive lock may change the structure of the tables. A `shared` lock
 * prevents other sessions from changing the structure of the tables. The function polls, because a waiting statement would block
 * `CREATE INDEX CONCURRENTLY`. `CREATE INDEX CONCURRENTLY` waits for all running statements.
 *
 * @param signal stops the wait; the call then rejects with the signal's reason
 */
export async function takeMigrationLock(
  client: ClientBase,
  { shared = false, signal }: { shared?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock${shared ? '_shared' : ''}($1) AS locked`,
      [MIGRATION_LOCK],
    );
    if (rows[0]?.locked) return;
    await delay(RETRY_MILLIS);
  }
}
