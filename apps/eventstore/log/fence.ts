import { DatabaseError, type Client } from 'pg';
import { LogInUse } from './errors.js';

/** The key of the advisory lock of the writer: "evst" as a number, and 1. Each database has its own lock. */
const LOCK_KEY = '(1702261620, 1)';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Acquires the writer's lock, which the connection keeps until it ends. After a node was killed, Postgres can hold the lock of that node a
 * moment longer. The function therefore waits at most `waitMillis` for the lock. If the other node still runs, the wait ends without the
 * lock.
 *
 * @throws LogInUse if another node still holds the lock
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

/** The right of a node to write to the log. Each new right has a higher `epoch`, and the log then refuses commits with a lower epoch. */
export interface WriterRight {
  readonly epoch: string;
  /** The position of the last event in the log when the right began, or 0 if the log was empty. */
  readonly lastPosition: number;
  /** The highest stream number in the database when the right began, or 0 if there was no stream. Each stream has a number of its own. */
  readonly highestStreamId: number;
  /** Identifies the log. The id of the log is the same for every node that serves the log. */
  readonly instanceId: string;
}

/** Begins a new epoch. If a commit of an earlier epoch is running, the function waits for it and sees its result. */
export async function beginEpoch(client: Client): Promise<WriterRight> {
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
    highestStreamId: Number(stream.id),
    instanceId: log.instance_id,
  };
}
