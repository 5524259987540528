import type { Position } from '#libs/event-store';
import type { Queryable } from '#libs/postgres';

/** How far one read model has come. */
export interface Checkpoint {
  name: string;
  version: number;
  /** Undefined before its first event. */
  position: Position | undefined;
}

/** Another process wrote the checkpoint: this one must stop, since it is no longer the only projector. */
export class CheckpointMoved extends Error {}

/** All checkpoints, by projection name. */
export async function loadCheckpoints(db: Queryable): Promise<Map<string, Checkpoint>> {
  const { rows } = await db.query<{ name: string; version: number; position: string | null }>(
    'SELECT name, version, position FROM projection.checkpoints',
  );
  return new Map(
    rows.map((row) => [
      row.name,
      { ...row, position: row.position === null ? undefined : BigInt(row.position) },
    ]),
  );
}

/** Starts a projection's checkpoint anew at the beginning of the log. */
export async function resetCheckpoint(db: Queryable, name: string, version: number): Promise<void> {
  await db.query(
    `INSERT INTO projection.checkpoints (name, version, position) VALUES ($1, $2, NULL)
     ON CONFLICT (name) DO UPDATE SET version = EXCLUDED.version, position = NULL, updated_at = now()`,
    [name, version],
  );
}

/** Removes the checkpoints of read models that there are no more, which would be behind for ever. */
export async function dropOtherCheckpoints(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query('DELETE FROM projection.checkpoints WHERE name <> ALL ($1)', [names]);
}

/** Postgres notifications: the position that all read models have reached. */
export const PROJECTED_CHANNEL = 'projected';

/** Moves checkpoints on, and says so to whoever waits for a position (when the transaction commits). Throws {@link CheckpointMoved} if one of them does not stand where it was left. */
export async function moveCheckpoints(db: Queryable, moved: Checkpoint[], to: Position): Promise<void> {
  const { rows } = await db.query<{ moved: number }>(
    // One statement for both: the projector makes a round trip for each, after every batch.
    `WITH moved AS (
       UPDATE projection.checkpoints c SET position = $4::bigint, updated_at = now()
       FROM unnest($1::text[], $2::int[], $3::bigint[]) AS was (name, version, position)
       WHERE c.name = was.name AND c.version = was.version AND c.position IS NOT DISTINCT FROM was.position
       RETURNING 1
     ), told AS (SELECT pg_notify('${PROJECTED_CHANNEL}', $4::text))
     SELECT (SELECT count(*) FROM moved)::int AS moved FROM told`,
    [
      moved.map((one) => one.name),
      moved.map((one) => one.version),
      moved.map((one) => one.position?.toString() ?? null),
      to.toString(),
    ],
  );
  if (rows[0]?.moved !== moved.length)
    throw new CheckpointMoved('another projector has moved the checkpoints');
}
