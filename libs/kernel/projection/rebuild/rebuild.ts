import type { Position } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import { loadCheckpoints } from '../checkpoints.js';
import type { Projection } from '../projection.js';
import { viewsToMove } from './dependents.js';
import { fillBuilds, lowestPosition } from './fill.js';
import type { ModelBuild } from './model-build.js';
import {
  withBuilds,
  type BuildProgressListener,
  type BuildOptions,
  type BuildConnections,
} from './open-builds.js';
import { isOfLiveVersion, replacedTableNames, ProjectorAtWork, swapInBuilds } from './swap.js';

/** The result of a rebuild. */
export interface RebuildResult {
  /** The names of the rebuilt read models that have replaced the live ones. */
  swapped: string[];
  /** The names of the rebuilt read models that are complete, but that only a projector of their version can make live. */
  ready: string[];
}

/**
 * Reads the log once, builds read models again next to the live ones, and replaces the live ones. Finished parts of a rebuild are kept even
 * if it fails, and the next rebuild continues from them. Only the read models' own tables are written: no webhook is sent, no payment made
 * and no timer set. Rejects with {@link ProjectionFailed} if the `apply` method of a projection fails. Rejects with
 * {@link BlockedByDependentObjects} if an object outside the read models depends on a table that must be dropped. After a rejection, each
 * live model is unchanged, or was already replaced as a whole.
 *
 * @param isProjector tells whether the caller is the active projector
 */
export async function rebuild(
  projections: readonly Projection[],
  sources: BuildConnections,
  options: BuildOptions,
  isProjector = false,
): Promise<RebuildResult> {
  const { listener } = options;
  return withBuilds(projections, 'rebuild', sources, options, async (builds, signal) => {
    // Filling the new tables takes long. So an object that would block the swap, such as a materialized view, is reported before it.
    await inTransaction(sources.pool, async (tx) =>
      viewsToMove(tx, replacedTableNames(builds, await loadCheckpoints(tx))),
    );
    await fillUp(builds, sources, signal, listener);
    const reportStatus = (text: string): void => listener.reportStatus(text);
    const tools = { ...sources, isProjector, signal, reportStatus };
    const live = await loadCheckpoints(sources.pool);
    const swap = async (ofLiveVersion: boolean): Promise<string[]> => {
      const some = builds.filter((build) => isOfLiveVersion(build, live.get(build.name)) === ofLiveVersion);
      if (some.length > 0) await swapInBuilds(some, tools);
      return some.map(({ name }) => name);
    };
    const swapped = await swap(true);
    try {
      return { swapped: [...swapped, ...(await swap(false))], ready: [] };
    } catch (error) {
      if (!(error instanceof ProjectorAtWork)) throw error;
      const ready = builds.map(({ name }) => name).filter((name) => !swapped.includes(name));
      return { swapped, ready };
    }
  });
}

/** Fills builds with all events of the log, creates their indexes, and adds the events that arrived meanwhile. */
async function fillUp(
  builds: readonly ModelBuild[],
  { feed }: BuildConnections,
  signal: AbortSignal,
  listener: BuildProgressListener,
): Promise<void> {
  const head = await feed.readHead();
  if (head !== undefined) listener.reportStart(lowestPosition(builds), head);
  const reached = (position: Position, events: number): void => listener.reportPosition(position, events);
  await fillBuilds(builds, feed, { signal, reportPosition: reached, isLong: true });
  if (builds.some(({ record }) => record.state !== 'filled')) {
    listener.reportStatus('Making indexes');
    const indexing = builds.map((build) => build.createIndexes());
    // Waits for all, so that no work continues unnoticed after a failure.
    await Promise.allSettled(indexing);
    await Promise.all(indexing);
  }
  await fillBuilds(builds, feed, { signal });
}
