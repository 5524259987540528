import type { Pool } from 'pg';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

/**
 * Sends events to another system in the order of the log. If order does not matter and each message may wait separately, use tasks of a
 * process manager.
 */
export interface Relay {
  /** The name in the database. It never changes. */
  readonly name: string;
  /**
   * Sends those of `events` that the other system should receive. Resolves with the number of sent events when the other system has
   * received all of them. After an error or a crash, `send` is called again with the same events, so the other system must recognise
   * repetitions.
   */
  send(events: readonly RecordedEvent[]): Promise<number>;
}

/** Another process has moved the relay's position. This process must not continue. */
class RelayMoved extends Error {}

/**
 * Creates a relay at the position of the process managers. A relay that is created together with the process managers thus starts at the
 * beginning of the log. A relay that is created later does not send the events before this position. An existing relay keeps its position.
 * Events that were appended while an existing relay was off are sent later.
 */
export async function addRelayPosition(pool: Pool, relay: string): Promise<void> {
  await pool.query(
    `INSERT INTO saga.relays (name, position)
     SELECT $1, (SELECT max(position) FROM saga.checkpoints) ON CONFLICT DO NOTHING`,
    [relay],
  );
}

/** The position up to which a relay has sent everything; undefined at the beginning. */
export async function loadRelayPosition(pool: Pool, relay: string): Promise<Position | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT position FROM saga.relays WHERE name = $1',
    [relay],
  );
  const position = rows[0]?.position ?? null;
  return position === null ? undefined : BigInt(position);
}

/** Moves the position of a relay. Throws {@link RelayMoved} if the relay is not at the expected position. */
export async function moveRelayPosition(
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
