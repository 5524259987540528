import type { Pool } from 'pg';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

/**
 * Tells another system of what happens, in the log's order. A process manager's tasks are the better choice where order does not matter and
 * each message may wait on its own.
 */
export interface Relay {
  /** Its name in the database. Never changed. */
  readonly name: string;
  /**
   * Sends those events that concern the other system. Resolves with their number once the system has received them all. Called again with
   * the same events after it has thrown, and after a crash: the other system must know them again.
   */
  send(events: readonly RecordedEvent[]): Promise<number>;
}

/** Another process has moved a relay's position: this one must not go on. */
export class RelayMoved extends Error {}

/**
 * Starts a relay at the position of the process managers: at the beginning of a new log, and at the present end of an old log, whose
 * history is not news. An existing relay keeps its position. So events that were appended while it was off are sent later.
 */
export async function addRelay(pool: Pool, relay: string): Promise<void> {
  await pool.query(
    `INSERT INTO saga.relays (name, position)
     SELECT $1, (SELECT max(position) FROM saga.checkpoints) ON CONFLICT DO NOTHING`,
    [relay],
  );
}

/** Up to where a relay has told everything; undefined at the beginning. */
export async function relayPosition(pool: Pool, relay: string): Promise<Position | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT position FROM saga.relays WHERE name = $1',
    [relay],
  );
  const position = rows[0]?.position ?? null;
  return position === null ? undefined : BigInt(position);
}

/** Moves a relay's position on. Throws {@link RelayMoved} if it is not where it was left. */
export async function moveRelay(
  pool: Pool,
  relay: string,
  from: Position | undefined,
  to: Position,
): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE saga.relays SET position = $3 WHERE name = $1 AND position IS NOT DISTINCT FROM $2',
    [relay, from?.toString() ?? null, to.toString()],
  );
  if (rowCount !== 1) throw new RelayMoved(`another process has moved the relay "${relay}"`);
}
