import { DatabaseError, type Client } from 'pg';
import { LogInUse } from './errors.js';

/** Key of the advisory lock, "evst" and 1 as numbers; the lock belongs to one database. */
const LOCK_KEY = '(1702261620, 1)';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Takes the writer's lock for as long as the connection lives. A node that was killed may still be listed by
 * Postgres for a moment, so this waits a little; a node that runs keeps its lock, and then this throws
 * {@link LogInUse}.
 */
export async function takeWriterLock(client: Client, waitMillis: number): Promise<void> {
  await client.query(`SET lock_timeout = ${waitMillis}`);
  try {
    await client.query(`SELECT pg_advisory_lock${LOCK_KEY}`);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)
      throw new LogInUse('Another event store node is running on this database.', { cause: error });
    throw error;
  }
  await client.query('SET lock_timeout = 0');
}

/** The right to write: commits of every earlier epoch are refused from here on. */
export interface Tenure {
  readonly epoch: string;
  readonly lastPosition: number;
  readonly lastStreamId: number;
  /** Names the log, whichever node serves it. */
  readonly instanceId: string;
}

/** Begins a new epoch. It waits for a commit of an earlier epoch that is still under way, and sees its result. */
export async function beginTenure(client: Client): Promise<Tenure> {
  const { rows } = await client.query<{ epoch: string; head: string; instance_id: string }>(
    'UPDATE eventstore.log SET epoch = epoch + 1 RETURNING epoch, head, instance_id',
  );
  const streams = await client.query<{ id: string }>(
    'SELECT coalesce(max(id), 0) AS id FROM eventstore.streams',
  );
  const [log] = rows;
  const [stream] = streams.rows;
  if (!log || !stream) throw new Error('The table eventstore.log has lost its row.');
  return {
    epoch: log.epoch,
    lastPosition: Number(log.head),
    lastStreamId: Number(stream.id),
    instanceId: log.instance_id,
  };
}
