import type { Position } from '#libs/kernel/domain';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { POSITION_MOVED_PAYLOAD, PROGRESS_CHANNEL } from './stored-tasks.js';

/** Another process wrote the checkpoint. A reactor whose checkpoint another process has written is not the active reactor any more. */
class ReactorMoved extends Error {}

/** Returns the log position of each process manager; undefined before its first event. */
export async function loadReactorPositions(db: Queryable): Promise<Map<string, Position | undefined>> {
  const { rows } = await db.query<{ process: string; position: string | null }>(
    'SELECT process, position FROM saga.checkpoints',
  );
  return new Map(rows.map((row) => [row.process, row.position === null ? undefined : BigInt(row.position)]));
}

/**
 * Creates the checkpoint of a process manager. The first process managers begin at the start of the log, and a later one at the position of
 * the others.
 */
export async function addReactorPosition(db: Queryable, process: string): Promise<void> {
  await db.query(
    `INSERT INTO saga.checkpoints (process, position)
     SELECT $1, (SELECT max(position) FROM saga.checkpoints) ON CONFLICT DO NOTHING`,
    [process],
  );
}

/**
 * Moves the checkpoints of the process managers in `moved` from the positions `from` to the position `to`, and notifies callers that wait for
 * it. Throws {@link ReactorMoved} if a checkpoint is not at its expected position.
 */
export async function moveReactorPositions(
  db: Queryable,
  moved: { process: string; from: Position | undefined }[],
  to: Position,
): Promise<void> {
  const { rows } = await db.query<{ count: number }>(
    preparedStatement(
      `WITH moved AS (
         UPDATE saga.checkpoints c SET position = $3
         FROM unnest($1::text[], $2::bigint[]) AS was (process, position)
         WHERE c.process = was.process AND c.position IS NOT DISTINCT FROM was.position RETURNING 1
       ) SELECT (SELECT count(*)::int FROM moved) AS count, pg_notify('${PROGRESS_CHANNEL}', '${POSITION_MOVED_PAYLOAD}')`,
      [moved.map((one) => one.process), moved.map((one) => one.from?.toString() ?? null), to.toString()],
    ),
  );
  if (rows[0]!.count !== moved.length)
    throw new ReactorMoved('another saga process has moved the checkpoints');
}
