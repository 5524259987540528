import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { monotonicSeconds } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import { inTransaction, isTransient } from '#libs/kernel/postgres';
import {
  loadCheckpoints,
  notifyModelReplaced,
  putCheckpointOfNewTables,
  type Checkpoint,
} from '../checkpoints.js';
import { tryLockOutProjectors } from '../projector-lock.js';
import { BUILD_SCHEMAS, removeBuildRecord } from './build-record.js';
import { catchUp, MAX_CATCH_UP_EVENTS, lockCheckpoints, TooFarBehind } from './catch-up.js';
import { recreateView, viewsToMove } from './dependents.js';
import { fillBuilds } from './fill.js';
import type { ModelBuild } from './model-build.js';
import { LIVE_SCHEMA, OLD_SCHEMA } from './schemas.js';

/**
 * The longest time for which a swap waits for processes that write to the tables. The wait for writers is longer than the time after which
 * Postgres cancels an autovacuum, so an autovacuum does not prevent the swap.
 */
const WRITERS_MILLIS = 2_000;
/**
 * The longest time for which a swap waits for readers of the tables, since later readers must wait meanwhile. The wait for readers is
 * shorter than Postgres' deadlock timeout, so a reader of two tables is never cancelled.
 */
const READERS_MILLIS = 300;
const RETRY_MILLIS = 1_000;

const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

/** The error if the live model has another version than the build, and a projector of the live version is active. */
export class ProjectorAtWork extends Error {}

/** The services of a swap, and the listener that receives reports of delays. */
export interface SwapTools {
  readonly pool: Pool;
  readonly feed: EventFeed;
  /** True if the caller is the only active projector. Only the active projector may replace a read model by another version. */
  readonly isProjector: boolean;
  readonly signal: AbortSignal;
  readonly reportStatus: (text: string) => void;
}

/**
 * Replaces the live read models by builds, in one transaction. Readers see either the old or the new tables, and wait only during the
 * replacement itself. The projector waits for the end of the swap, and continues with the new tables. The old tables are kept in the schema
 * {@link OLD_SCHEMA}, and tables that were kept there before are dropped. Long queries on the live tables delay the swap until they end.
 * Throws {@link ProjectorAtWork} if a live model has another version than its build, and another process is the active projector. Throws
 * {@link BlockedByDependentObjects} if an object outside the read models depends on a table that must be dropped.
 */
export async function swapInBuilds(builds: readonly ModelBuild[], tools: SwapTools): Promise<void> {
  let isReported = false;
  for (;;) {
    while ((await fillBuilds(builds, tools.feed, { signal: tools.signal })) > MAX_CATCH_UP_EVENTS / 2);
    try {
      await inTransaction(tools.pool, (tx) => swap(tx, builds, tools));
      return;
    } catch (error) {
      for (const build of builds) build.discardUncommitted();
      if (error instanceof TooFarBehind) continue;
      if (!isHeldUp(error) && !isTransient(error)) throw error;
      if (!isReported)
        tools.reportStatus(isHeldUp(error) ? await whoHoldsUp(tools.pool, builds) : (error as Error).message);
      isReported = true;
      await delay(RETRY_MILLIS, undefined, { signal: tools.signal });
    }
  }
}

async function swap(tx: PoolClient, builds: readonly ModelBuild[], tools: SwapTools): Promise<void> {
  const replaced = await existing(tx, replacedTableNames(builds, await loadCheckpoints(tx)));
  // Writers are locked out first, while readers continue. The order is that in which the projector writes, so neither waits for the other.
  await lock(tx, replaced, 'SHARE ROW EXCLUSIVE', WRITERS_MILLIS);
  const live = await lockCheckpoints(tx, builds);
  const isOther = builds.some((build) => !isOfLiveVersion(build, live.get(build.name)));
  if (isOther && !tools.isProjector && !(await tryLockOutProjectors(tx))) throw new ProjectorAtWork();
  const positions = await catchUp(tx, builds, live, tools);
  const began = monotonicSeconds();
  const left = (): number => Math.max(1, Math.ceil(READERS_MILLIS - (monotonicSeconds() - began) * 1_000));
  // A view is locked before the tables that it reads, in the order in which readers of the view take the locks. Recreating a view unchanged
  // locks it.
  for (const view of await viewsToMove(tx, replaced)) await within(tx, left(), () => recreateView(tx, view));
  await lock(tx, replaced, 'ACCESS EXCLUSIVE', left());
  const views = await viewsToMove(tx, replaced);
  for (const table of replaced) {
    await tx.query(`DROP TABLE IF EXISTS ${OLD_SCHEMA}.${table}`);
    await copyGrants(tx, table);
    await tx.query(`ALTER TABLE ${LIVE_SCHEMA}.${table} SET SCHEMA ${OLD_SCHEMA}`);
  }
  for (const { name, projection, record, tableNames: tables } of builds) {
    for (const table of tables)
      await tx.query(`ALTER TABLE ${BUILD_SCHEMAS.rebuild}.${table} SET SCHEMA ${LIVE_SCHEMA}`);
    await removeBuildRecord(tx, record);
    await putCheckpointOfNewTables(tx, {
      name,
      version: projection.version,
      position: positions.get(name),
      tables,
    });
  }
  for (const view of views) await within(tx, READERS_MILLIS, () => recreateView(tx, view));
  await notifyModelReplaced(tx);
}

/**
 * Returns the names of the tables of `builds`, and the names of the live tables of the same read models. A swap replaces any live table
 * with one of the returned names.
 */
export function replacedTableNames(builds: readonly ModelBuild[], live: Map<string, Checkpoint>): string[] {
  return builds.flatMap(({ name, tableNames }) => [
    ...new Set([...(live.get(name)?.tables ?? []), ...tableNames]),
  ]);
}

/** Tells whether the live model has the build's version and is kept current. */
export function isOfLiveVersion(
  { projection }: Pick<ModelBuild, 'projection'>,
  live: Checkpoint | undefined,
): boolean {
  return live?.version === projection.version && live.nextVersion === null;
}

async function existing(tx: PoolClient, tables: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ table: string }>(
    `SELECT t AS table FROM unnest($1::text[]) WITH ORDINALITY AS given (t, n)
     WHERE to_regclass('${LIVE_SCHEMA}.' || t) IS NOT NULL ORDER BY n`,
    [tables],
  );
  return rows.map(({ table }) => table);
}

async function lock(tx: PoolClient, tables: string[], mode: string, millis: number): Promise<void> {
  if (tables.length === 0) return;
  const names = tables.map((table) => `${LIVE_SCHEMA}.${table}`).join(', ');
  await within(tx, millis, () => tx.query(`LOCK TABLE ${names} IN ${mode} MODE`));
}

async function within(tx: PoolClient, millis: number, work: () => Promise<unknown>): Promise<void> {
  await tx.query(`SET LOCAL statement_timeout = ${millis}`);
  await work();
  await tx.query('SET LOCAL statement_timeout = 0');
}

/** Gives the new table the same read rights as the table that it replaces. */
async function copyGrants(tx: PoolClient, table: string): Promise<void> {
  const next = `${BUILD_SCHEMAS.rebuild}.${table}`;
  const { rows } = await tx.query<{ statement: string }>(
    `SELECT format('GRANT %s ON ${next} TO %s', privilege_type,
       CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END) AS statement
     FROM pg_class, aclexplode(relacl)
     WHERE oid = to_regclass('${LIVE_SCHEMA}.${table}') AND grantee <> relowner AND to_regclass('${next}') IS NOT NULL`,
  );
  for (const { statement } of rows) await tx.query(statement);
}

function isHeldUp(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE;
}

/** Describes the query on the live tables that has run for the longest time. */
async function whoHoldsUp(pool: Pool, builds: readonly ModelBuild[]): Promise<string> {
  // Only superusers and similar roles see how long the queries of others have run.
  const { rows } = await pool.query<{
    table: string;
    pid: number;
    application: string;
    seconds: number | null;
  }>(
    `SELECT l.relation::regclass::text AS table, a.pid, a.application_name AS application,
       round(extract(epoch FROM clock_timestamp() - a.xact_start))::int AS seconds
     FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.granted AND l.relation = ANY (SELECT to_regclass('${LIVE_SCHEMA}.' || t) FROM unnest($1::text[]) t)
     ORDER BY a.xact_start LIMIT 1`,
    [replacedTableNames(builds, await loadCheckpoints(pool))],
  );
  const [held] = rows;
  if (!held) return 'The swap waits for queries on the live tables to end';
  const { table, pid, application, seconds } = held;
  const since = seconds === null ? 'that still runs' : `that has run for ${seconds} s`;
  return `The swap waits for a query on ${table} ${since} (process ${pid}, ${application})`;
}
