import type { Position } from '#libs/kernel/domain';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';

/** The position that one read model has reached. */
export interface Checkpoint {
  name: string;
  /** The version of the existing rows; 0 if the read model was never filled. */
  version: number;
  /** The position up to which the read model has all events; undefined before its first event. */
  position: Position | undefined;
  /** The number of swaps so far. Each swap replaces the tables of the read model. */
  generation: number;
  /**
   * The version that is being built to replace the present version; null if there is none. While a next version is being built, no events
   * are added to the present version.
   */
  nextVersion: number | null;
  /**
   * The names of the read model's tables in the schema `read`; null if an earlier version of the program created them without storing the
   * names.
   */
  tables: string[] | null;
}

/**
 * Another process wrote the checkpoint. A projector whose checkpoint another process has written must stop, since it is not the only
 * projector any more.
 */
export class CheckpointMoved extends Error {}

/** Reads all checkpoints, by projection name. */
export async function loadCheckpoints(db: Queryable): Promise<Map<string, Checkpoint>> {
  const { rows } = await db.query<Omit<Checkpoint, 'position'> & { position: string | null }>(
    'SELECT name, version, position, generation, next_version AS "nextVersion", tables FROM projection.checkpoints',
  );
  return new Map(
    rows.map((row) => [
      row.name,
      { ...row, position: row.position === null ? undefined : BigInt(row.position) },
    ]),
  );
}

/** The checkpoint of a read model after its tables were replaced. */
export type CheckpointOfNewTables = Pick<Checkpoint, 'name' | 'version' | 'position'> & { tables: string[] };

/** Records that `tables` are now the live tables of the read model, and the position that they have reached. */
export async function putCheckpointOfNewTables(
  db: Queryable,
  { name, version, position, tables }: CheckpointOfNewTables,
): Promise<void> {
  await db.query(
    `INSERT INTO projection.checkpoints AS c (name, version, position, tables) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name) DO UPDATE SET version = EXCLUDED.version, position = EXCLUDED.position,
       tables = EXCLUDED.tables, generation = c.generation + 1, next_version = NULL, updated_at = now()`,
    [name, version, position?.toString() ?? null, tables],
  );
}

/**
 * Stores which version is being built to replace the live version. If `version` is null, no version is being built, and new events are
 * added to the live version again.
 */
export async function setNextVersion(db: Queryable, name: string, version: number | null): Promise<void> {
  await db.query(
    `UPDATE projection.checkpoints SET next_version = $2, updated_at = now()
     WHERE name = $1 AND next_version IS DISTINCT FROM $2`,
    [name, version],
  );
}

/**
 * Removes the checkpoints of read models that no longer exist. Nothing would move the checkpoint of a removed read model, so requests that
 * wait for all checkpoints would wait in vain.
 */
export async function dropCheckpointsExcept(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query('DELETE FROM projection.checkpoints WHERE name <> ALL ($1)', [names]);
}

/**
 * The channel for Postgres notifications that all live read models have reached a position. The payload is the position, a space, and the
 * result of {@link epochOf} for the checkpoints that the projector knows. Receivers that know another result of epochOf ignore the
 * position, because the projector may not know yet that a read model was replaced by a version that is behind.
 */
export const READ_MODEL_POSITION_CHANNEL = 'projected';

/** A number that grows whenever the tables of a read model are replaced. */
function epochOf(checkpoints: Iterable<Checkpoint>): number {
  let epoch = 0;
  for (const { generation } of checkpoints) epoch += generation;
  return epoch;
}

/** The channel for Postgres notifications that the tables of a read model were replaced, or will be. */
export const MODEL_REPLACED_CHANNEL = 'read_model_replaced';

/** Notifies other processes, when the transaction commits, that they must read the checkpoints again. */
export async function notifyModelReplaced(db: Queryable): Promise<void> {
  await db.query(`SELECT pg_notify('${MODEL_REPLACED_CHANNEL}', '')`);
}

/**
 * Moves the checkpoints in `live` to the position `to`, except those that have reached it already. When the transaction commits, Postgres
 * notifies the processes that wait for a position. Throws {@link CheckpointMoved} if one of the checkpoints is not at the expected
 * position.
 */
export async function moveCheckpoints(
  db: Queryable,
  live: readonly Checkpoint[],
  to: Position,
): Promise<void> {
  const moved = live.filter((one) => isBehind(one, to));
  if (moved.length === 0) return;
  const { rows } = await db.query<{ moved: number }>(
    preparedStatement(
      // One statement moves the checkpoints and sends the notification. Two statements would need two round trips after every batch.
      `WITH moved AS (
         UPDATE projection.checkpoints c SET position = $4::bigint, updated_at = now()
         FROM unnest($1::text[], $2::int[], $3::bigint[]) AS was (name, generation, position)
         WHERE c.name = was.name AND c.generation = was.generation AND c.next_version IS NULL
           AND c.position IS NOT DISTINCT FROM was.position
         RETURNING 1
       ), told AS (SELECT pg_notify('${READ_MODEL_POSITION_CHANNEL}', $4::text || ' ' || $5))
       SELECT (SELECT count(*) FROM moved)::int AS moved FROM told`,
      [
        moved.map((one) => one.name),
        moved.map((one) => one.generation),
        moved.map((one) => one.position?.toString() ?? null),
        to.toString(),
        String(epochOf(live)),
      ],
    ),
  );
  if (rows[0]?.moved !== moved.length)
    throw new CheckpointMoved('another projector has moved the checkpoints');
}

/** Tells whether a read model has not reached a position yet. */
export function isBehind({ position }: Checkpoint, to: Position): boolean {
  return position === undefined || position < to;
}
