import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Whoever holds this advisory lock changes the tables, or wants nobody to. Any number will do, as long as it is this one everywhere: it spells "migr". */
export const MIGRATION_LOCK = 0x6d696772;

/** How long to wait before asking again. */
const RETRY_MILLIS = 200;

/**
 * Takes the lock for this session, to change the tables, or `shared`, so that nobody does. Whoever waits asks again and again: a
 * statement that waits would hold up an index that another makes concurrently, since Postgres waits for every statement under way.
 *
 * @param signal ends the waiting, with its reason
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
