import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { Lag, LogLagReader } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import { loadCheckpoints, type Checkpoint } from './checkpoints.js';
import type { Projection } from './projection.js';
import { isLockedSql, PROJECTOR_LOCK_KEY_SQL } from './projector-lock.js';
import { buildLockKeySql } from './rebuild/build-locks.js';
import { loadBuilds, type BuildRecord } from './rebuild/build-record.js';
import { listOldTables } from './rebuild/old-models.js';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import { layoutOf } from './table-layout.js';

/** A build of a read model that is in progress or was interrupted. The build is made next to the live read model. */
export interface BuildState extends Omit<BuildRecord, 'name'> {
  /** True if a process is working on the build now. */
  isRunning: boolean;
}

/** The state of a read model. */
export interface ReadModelState {
  name: string;
  /** The version of the read model's rows: 0 if it was never filled, null if it does not exist yet. */
  version: number | null;
  /** The version of the read model that the running program builds. It can differ from `version`, for example during an upgrade. */
  ownVersion: number;
  /**
   * True if a projector keeps the read model current. If `isCurrent` is false, the rows of the read model stay unchanged until another
   * version replaces them.
   */
  isCurrent: boolean;
  /** The position up to which the read model has all events; undefined before its first event. */
  position: Position | undefined;
  lag: Lag;
  /** The size of the read model's tables with their indexes, in bytes. */
  bytes: number;
  /** The size of the tables that were live before the last swap and are still kept, in bytes. */
  oldBytes: number;
  /** The builds that are in progress or were interrupted. */
  builds: BuildState[];
}

/** All read models, and whether an active projector keeps them current. */
export interface ReadSideState {
  /** True if an active projector adds new events to the current read models. */
  projectorAtWork: boolean;
  models: ReadModelState[];
}

/** Describes every read model of this program. If no projector has prepared the database yet, all read models are shown as not created. */
export async function describeReadModels(
  projections: readonly Projection[],
  { pool, dataSource, logLag }: { pool: Pool; dataSource: DataSource; logLag: LogLagReader },
): Promise<ReadSideState> {
  const checkpoints = await loadCheckpoints(pool);
  const builds = await loadBuilds(pool);
  const old = await listOldTables(pool);
  const names = projections.map(({ name }) => name);
  const lags = await logLag.lagOf(names.map((name) => checkpoints.get(name)?.position));
  const { projectorAtWork, building } = await locks(pool, names);
  const models: ReadModelState[] = [];
  for (const [index, projection] of projections.entries()) {
    const { name, version: ownVersion, entities } = projection;
    const checkpoint = checkpoints.get(name);
    const tables = checkpoint?.tables ?? entities.map((entity) => layoutOf(dataSource, entity).table);
    models.push({
      name,
      version: checkpoint?.version ?? null,
      ownVersion,
      isCurrent: isCurrent(checkpoint),
      position: checkpoint?.position,
      lag: lags[index]!,
      bytes: await sizeOf(pool, tables),
      oldBytes: tables.reduce((sum, table) => sum + (old.get(table) ?? 0), 0),
      builds: builds
        .filter((build) => build.name === name)
        .map(({ name: _, ...build }) => ({ ...build, isRunning: building.has(name) })),
    });
  }
  return { projectorAtWork, models };
}

function isCurrent(checkpoint: Checkpoint | undefined): boolean {
  return checkpoint !== undefined && checkpoint.nextVersion === null;
}

async function locks(
  pool: Pool,
  names: string[],
): Promise<{ projectorAtWork: boolean; building: ReadonlySet<string> }> {
  const { rows } = await pool.query<{ projector: boolean; building: string[] }>(
    `SELECT ${isLockedSql(PROJECTOR_LOCK_KEY_SQL)} AS projector,
       ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE ${isLockedSql(buildLockKeySql('name'))}) AS building`,
    [names],
  );
  return { projectorAtWork: rows[0]!.projector, building: new Set(rows[0]!.building) };
}

async function sizeOf(pool: Pool, tables: string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(to_regclass('${LIVE_SCHEMA}.' || t))), 0)::float8 AS bytes
     FROM unnest($1::text[]) AS t`,
    [tables],
  );
  return rows[0]!.bytes;
}
