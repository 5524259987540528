import { dropOldModelTables, rebuild, tableNamesOf } from '#libs/kernel/projection';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { durationText } from '../wording.js';
import { runReadModelBuild } from './run-build.js';
import { openReadModelSources, projectionsNamed } from './read-model-sources.js';

/** The options of `countinghouse projections rebuild`. */
export interface RebuildReadModelsOptions {
  all?: boolean;
  /** Drops the replaced tables instead of keeping them. A read model that waits for its projector has replaced none yet. */
  dropOld?: boolean;
  /** Starts from the beginning, even if an unfinished rebuild could be continued. */
  afresh?: boolean;
}

/** The result of a rebuild. */
export interface ReadModelsRebuildResult {
  /** The rebuilt read models that are live now. */
  readonly swapped: string[];
  /** The rebuilt read models that wait for a projector of this program's version. */
  readonly ready: string[];
  /** The old tables that were dropped. */
  readonly dropped: string[];
  /** The number of events that the rebuild read. */
  readonly events: number;
  /** The position of the event log after which the rebuild began to read; null for the start of the log. */
  readonly from: string | null;
  /** The position of the last event when the reading began; null for an empty log. */
  readonly to: string | null;
  /** The time that the rebuild took, in seconds. */
  readonly seconds: number;
}

const REBUILD_REMEDY =
  'Each live read model is unchanged, or was already replaced as a whole. The same command continues the rebuild, and with --afresh it starts from the beginning';

/** Rebuilds read models and swaps them with the live ones. Shows the progress on `output`. */
export async function rebuildReadModels(
  names: readonly string[],
  options: RebuildReadModelsOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<ReadModelsRebuildResult> {
  const projections = projectionsNamed(names, options.all);
  const sources = await openReadModelSources(await readSettingsWithServerUrls(env), 'projections rebuild');
  const began = performance.now();
  try {
    const tables = new Map<string, string[]>();
    // The names are read before the swap, which also replaces tables that only an earlier version has.
    for (const projection of projections)
      tables.set(projection.name, await tableNamesOf([projection], sources));
    const { reading, ...result } = await runReadModelBuild(output, REBUILD_REMEDY, async (how, reading) => ({
      ...(await rebuild(projections, sources, { ...how, afresh: options.afresh ?? false })),
      reading,
    }));
    const replaced = result.swapped.flatMap((name) => tables.get(name) ?? []);
    const dropped = options.dropOld ? await dropOldModelTables(sources.pool, replaced) : [];
    return {
      ...result,
      dropped,
      events: reading.eventCount,
      from: reading.from?.toString() ?? null,
      to: reading.to?.toString() ?? null,
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    await sources.close();
  }
}

/** Describes the result of a rebuild for the terminal. */
export function describeReadModelsRebuild({
  swapped,
  ready,
  dropped,
  events,
  to,
  seconds,
}: ReadModelsRebuildResult): string {
  const read =
    to === null ? 'The log is empty' : `${events.toLocaleString('en')} events read, to position ${to}`;
  return [
    `${read}, in ${durationText(seconds)} (${Math.round(events / seconds).toLocaleString('en')}/s)`,
    ...(swapped.length > 0 ? [`Rebuilt and live: ${swapped.join(', ')}`] : []),
    ...(ready.length > 0
      ? [`Built, and live as soon as a projector of this program's version starts: ${ready.join(', ')}`]
      : []),
    ...(dropped.length > 0 ? [`Dropped old tables: ${dropped.join(', ')}`] : []),
    ...(dropped.length === 0 && swapped.length > 0
      ? [
          `The replaced tables are kept until "countinghouse projections drop-old ${swapped.join(' ')}", or the next rebuild`,
        ]
      : []),
    '',
  ].join('\n');
}
