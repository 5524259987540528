import type { PoolClient } from 'pg';
import type { Position } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import { loadCheckpoints } from '../checkpoints.js';
import type { Projection } from '../projection.js';
import { layoutOf } from '../table-layout.js';
import { BUILD_SCHEMAS, dropBuild } from './build-record.js';
import { catchUp, MAX_CATCH_UP_EVENTS, lockCheckpoints, TooFarBehind } from './catch-up.js';
import { compareTables, type TableComparison } from './compare.js';
import { fillBuilds, lowestPosition } from './fill.js';
import type { ModelBuild } from './model-build.js';
import {
  withBuilds,
  type BuildProgressListener,
  type BuildOptions,
  type BuildConnections,
} from './open-builds.js';
import { LIVE_SCHEMA } from './schemas.js';
import { isOfLiveVersion } from './swap.js';

/** The error if a live model cannot be compared, because it does not exist or has another version than this program builds. */
export class ReadModelOfOtherVersion extends Error {
  constructor(readonly projection: string) {
    super(`"${projection}" is not of this program's version`);
  }
}

/** The result of comparing a read model with its events. */
export interface VerifyResult {
  /** The name of the read model. */
  projection: string;
  /** The position of the live and the new read model when they were compared; undefined without any events. */
  position: Position | undefined;
  tables: TableComparison[];
}

/** The settings of a verification. */
export interface VerifyOptions extends Omit<BuildOptions, 'afresh'> {
  /** The largest number of differing rows that are listed for each table. */
  readonly maxDifferences: number;
}

/**
 * Builds read models again and compares each with the live one, row by row, at the same position. The projector waits while the last few
 * events are added to the new read models, and continues during the comparison. Throws {@link ReadModelOfOtherVersion} if a live model
 * cannot be compared.
 */
export async function compareReadModels(
  projections: readonly Projection[],
  sources: BuildConnections,
  { maxDifferences: shown, ...options }: VerifyOptions,
): Promise<VerifyResult[]> {
  const begun = { ...options, afresh: true };
  return withBuilds(projections, 'verify', sources, begun, async (builds, signal) => {
    try {
      for (;;) {
        await fillToLive(builds, sources, options.listener, signal);
        const results = await inTransaction(sources.pool, async (tx) => {
          const positions = await seeOnePosition(tx, builds, sources, signal);
          options.listener.reportStatus('Comparing');
          return compare(tx, builds, positions, sources, shown);
        }).catch((error: unknown) => {
          if (error instanceof TooFarBehind) return undefined;
          throw error;
        });
        if (results) return results;
      }
    } finally {
      await inTransaction(sources.pool, async (tx) => {
        for (const { record } of builds) await dropBuild(tx, record);
      });
    }
  });
}

/** Fills the builds up to the positions of their live models, except for a few events that arrive meanwhile. */
async function fillToLive(
  builds: readonly ModelBuild[],
  { feed, pool }: BuildConnections,
  listener: BuildProgressListener,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const live = await loadCheckpoints(pool);
    const upTo = new Map<ModelBuild, Position>();
    for (const build of builds) {
      const checkpoint = live.get(build.name);
      if (!isOfLiveVersion(build, checkpoint)) throw new ReadModelOfOtherVersion(build.name);
      if (checkpoint?.position !== undefined) upTo.set(build, checkpoint.position);
    }
    if (upTo.size === 0) return;
    const filled = [...upTo.keys()];
    listener.reportStart(
      lowestPosition(filled),
      [...upTo.values()].reduce((a, b) => (a > b ? a : b)),
    );
    const reached = (position: Position, events: number): void => listener.reportPosition(position, events);
    if (
      (await fillBuilds(filled, feed, {
        signal,
        reportPosition: reached,
        isLong: true,
        endPositions: upTo,
      })) <
      MAX_CATCH_UP_EVENTS / 2
    )
      return;
  }
}

/**
 * Lets a transaction see the builds and the live models at the same position. The projector commits nothing between the moment when the
 * builds have reached its position and the transaction's snapshot.
 */
async function seeOnePosition(
  reader: PoolClient,
  builds: readonly ModelBuild[],
  { feed, pool }: BuildConnections,
  signal: AbortSignal,
): Promise<Map<string, Position | undefined>> {
  await reader.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  return inTransaction(pool, async (holder) => {
    const live = await lockCheckpoints(holder, builds);
    const positions = await inTransaction(pool, (tx) => catchUp(tx, builds, live, { feed, signal }));
    await reader.query('SELECT 1');
    return positions;
  });
}

async function compare(
  tx: PoolClient,
  builds: readonly ModelBuild[],
  positions: Map<string, Position | undefined>,
  { dataSource }: BuildConnections,
  shown: number,
): Promise<VerifyResult[]> {
  const results: VerifyResult[] = [];
  for (const { name, projection } of builds) {
    const tables: TableComparison[] = [];
    for (const entity of projection.entities) {
      const layout = layoutOf(dataSource, entity);
      tables.push(await compareTables(tx, layout, [LIVE_SCHEMA, BUILD_SCHEMAS.verify], shown));
    }
    results.push({ projection: name, position: positions.get(name), tables });
  }
  return results;
}
