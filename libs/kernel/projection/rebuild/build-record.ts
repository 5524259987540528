import type { PoolClient } from 'pg';
import type { Position } from '#libs/kernel/domain';
import type { Queryable } from '#libs/kernel/postgres';
import type { Projection } from '../projection.js';
import { createHeapSql, definitionText, type TableLayout } from '../table-layout.js';
import { switchToReadModelOwner } from './schemas.js';

/** The purpose of a second build of a read model: to replace the live read model, or to be compared with it. */
export type BuildPurpose = 'rebuild' | 'verify';

/** The schemas for the tables of builds. */
export const BUILD_SCHEMAS: Readonly<Record<BuildPurpose, string>> = {
  rebuild: 'read_next',
  verify: 'read_verify',
};

/** The progress of a build, as stored in its row. */
export interface BuildRecord {
  name: string;
  purpose: BuildPurpose;
  version: number;
  /** The position up to which the build has all events; undefined before its first event. */
  position: Position | undefined;
  /** `filled` means that the build has its indexes, and misses only the newest events. */
  state: 'filling' | 'filled';
  /** The reason why the build cannot continue; null if it can. */
  error: string | null;
}

/** Another process has written to this build, so two processes are probably working on it. */
export class BuildMoved extends Error {}

const COLUMNS = 'name, purpose, version, position, state, error';

/** Reads all builds that are not live yet. */
export async function loadBuilds(db: Queryable): Promise<BuildRecord[]> {
  const { rows } = await db.query<Omit<BuildRecord, 'position'> & { position: string | null }>(
    `SELECT ${COLUMNS} FROM projection.builds ORDER BY name, purpose`,
  );
  return rows.map(toRecord);
}

/**
 * Starts the build of a projection, and creates the tables of the build. An unfinished build with the same version and the same tables is
 * continued, unless `afresh` is set. Otherwise a new build starts.
 */
export async function beginBuild(
  tx: PoolClient,
  { name, version }: Projection,
  layouts: readonly TableLayout[],
  purpose: BuildPurpose,
  afresh: boolean,
): Promise<BuildRecord> {
  const definition = definitionText(layouts);
  const begun = await tx.query<Omit<BuildRecord, 'position'> & { position: string | null }>(
    `UPDATE projection.builds SET error = NULL
     WHERE name = $1 AND purpose = $2 AND version = $3 AND definition = $4 AND NOT $5 RETURNING ${COLUMNS}`,
    [name, purpose, version, definition, afresh],
  );
  if (begun.rows[0]) return toRecord(begun.rows[0]);
  await dropBuild(tx, { name, purpose });
  await switchToReadModelOwner(tx);
  for (const layout of layouts) await tx.query(createHeapSql(layout, BUILD_SCHEMAS[purpose]));
  await tx.query(
    `INSERT INTO projection.builds (name, purpose, version, definition, tables, state)
     VALUES ($1, $2, $3, $4, $5, 'filling')`,
    [name, purpose, version, definition, layouts.map(({ table }) => table)],
  );
  return { name, purpose, version, position: undefined, state: 'filling', error: null };
}

/** Removes the row of a build, if it exists. Returns the names of the build's tables, which are not dropped. */
export async function removeBuildRecord(
  tx: PoolClient,
  { name, purpose }: Pick<BuildRecord, 'name' | 'purpose'>,
): Promise<string[]> {
  const { rows } = await tx.query<{ tables: string[] }>(
    'DELETE FROM projection.builds WHERE name = $1 AND purpose = $2 RETURNING tables',
    [name, purpose],
  );
  return rows[0]?.tables ?? [];
}

/** Removes a build with its tables, if it exists. */
export async function dropBuild(tx: PoolClient, build: Pick<BuildRecord, 'name' | 'purpose'>): Promise<void> {
  for (const table of await removeBuildRecord(tx, build))
    await tx.query(`DROP TABLE IF EXISTS ${BUILD_SCHEMAS[build.purpose]}.${table}`);
}

/** Removes the builds of read models that no longer exist. */
export async function dropBuildsExcept(tx: PoolClient, names: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Pick<BuildRecord, 'name' | 'purpose'>>(
    'SELECT name, purpose FROM projection.builds WHERE name <> ALL ($1)',
    [names],
  );
  for (const build of rows) await dropBuild(tx, build);
}

/** Moves the position of a build. Throws {@link BuildMoved} if the build is not at the expected position. */
export async function moveBuildPosition(
  db: Queryable,
  { name, purpose, position }: BuildRecord,
  to: Position,
): Promise<void> {
  const { rowCount } = await db.query(
    `UPDATE projection.builds SET position = $4, updated_at = now()
     WHERE name = $1 AND purpose = $2 AND position IS NOT DISTINCT FROM $3::bigint`,
    [name, purpose, position?.toString() ?? null, to.toString()],
  );
  if (rowCount !== 1) throw new BuildMoved(`The build of "${name}" was changed by another process`);
}

/** Tells whether a build is at `position` now. */
export async function isAtPosition(
  db: Queryable,
  { name, purpose }: BuildRecord,
  position: Position,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM projection.builds WHERE name = $1 AND purpose = $2 AND position = $3',
    [name, purpose, position.toString()],
  );
  return rowCount === 1;
}

/** Stores that a build has its indexes. */
export async function recordBuildFilled(db: Queryable, { name, purpose }: BuildRecord): Promise<void> {
  await db.query(
    `UPDATE projection.builds SET state = 'filled', updated_at = now() WHERE name = $1 AND purpose = $2`,
    [name, purpose],
  );
}

/** Stores why a build cannot continue. */
export async function recordBuildError(
  db: Queryable,
  { name, purpose }: BuildRecord,
  error: string,
): Promise<void> {
  await db.query(
    'UPDATE projection.builds SET error = $3, updated_at = now() WHERE name = $1 AND purpose = $2',
    [name, purpose, error],
  );
}

function toRecord(row: Omit<BuildRecord, 'position'> & { position: string | null }): BuildRecord {
  return { ...row, position: row.position === null ? undefined : BigInt(row.position) };
}
