import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import { ProjectionFailed, type Projection } from '../projection.js';
import { layoutOf, type EntityClass } from '../table-layout.js';
import { withBuildLocks } from './build-locks.js';
import { beginBuild, recordBuildError, type BuildPurpose } from './build-record.js';
import { ModelBuild, type BuildTools } from './model-build.js';

/** The connections that a build needs: `feed` reads the log, and `dataSource` and `pool` are the database of the read models. */
export interface BuildConnections {
  readonly feed: EventFeed;
  readonly dataSource: DataSource;
  readonly pool: Pool;
}

/** Receives the progress of builds. */
export interface BuildProgressListener {
  /** Reading starts after the position `from`, or at the start of the log if `from` is undefined. Reading goes up to the position `to`. */
  reportStart(from: Position | undefined, to: Position): void;
  /** Reading has reached `position`, after `events` events. */
  reportPosition(position: Position, events: number): void;
  /** Gets a line of text that tells which step begins, or why the build waits. */
  reportStatus(text: string): void;
}

/** The settings of builds. */
export interface BuildOptions {
  /** Stops the builds. A rebuild can be continued later. */
  readonly signal: AbortSignal;
  readonly listener: BuildProgressListener;
  /** Waits for other processes that build the same read models, instead of throwing {@link BuildBusy}. */
  readonly waitForOtherBuilds?: boolean;
  /** Discards the unfinished builds of an earlier rebuild. */
  readonly afresh?: boolean;
}

/**
 * Runs `work` on new or continued builds of `projections`, and locks the builds against other processes. If the `apply` method of a
 * projection fails, the build of this projection stores the reason. The work's signal is also aborted if the connection that holds the
 * locks is lost.
 */
export async function withBuilds<T>(
  projections: readonly Projection[],
  purpose: BuildPurpose,
  { dataSource, pool }: BuildConnections,
  { signal, listener, waitForOtherBuilds = false, afresh = false }: BuildOptions,
  work: (builds: ModelBuild[], signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const names = projections.map(({ name }) => name);
  return withBuildLocks(pool, names, { waitForOtherBuilds, signal }, async (ended) => {
    const tools: BuildTools = {
      pool,
      layoutOf: (entity: EntityClass) => layoutOf(dataSource, entity),
      signal: ended,
      reportConnectionLoss: (error) =>
        listener.reportStatus(`The database went away, trying again: ${error.message}`),
    };
    const builds: ModelBuild[] = [];
    for (const projection of projections) {
      const layouts = projection.entities.map((entity) => layoutOf(dataSource, entity));
      const record = await inTransaction(pool, (tx) => beginBuild(tx, projection, layouts, purpose, afresh));
      const build = new ModelBuild(projection, record, tools);
      await build.resume();
      builds.push(build);
    }
    try {
      return await work(builds, ended);
    } catch (error) {
      const failed = builds.find(
        ({ name }) => error instanceof ProjectionFailed && error.projection === name,
      );
      if (failed) await recordBuildError(pool, failed.record, (error as Error).message);
      throw error;
    }
  });
}
