import { dropOld, rebuild, tablesOf } from '#libs/kernel/projection';
import { settingsOfInstance } from '../start/running-instance.js';
import { durationText } from '../wording.js';
import { runBuild } from './run-build.js';
import { openSources, projectionsNamed } from './sources.js';

/** What `countinghouse projections rebuild` is told. */
export interface RebuildOptions {
  all?: boolean;
  dropOld?: boolean;
  afresh?: boolean;
}

/** What a rebuild came to. */
export interface Rebuilt {
  /** Read models that are live now. */
  readonly swapped: string[];
  /** Those that are made, and wait for a projector of this program's version. */
  readonly ready: string[];
  /** Tables that were kept from before and are gone now. */
  readonly dropped: string[];
  /** Events that were read of the log, behind `from` (null: from the start) up to `to` (null: of an empty log). */
  readonly events: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly seconds: number;
}

const REMEDY =
  'The live read models are as they were. The same command goes on from where it stopped, --afresh begins anew';

/** Makes read models anew and puts them in the place of the live ones, showing on `output` how far it is. */
export async function rebuildReadModels(
  names: readonly string[],
  options: RebuildOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<Rebuilt> {
  const projections = projectionsNamed(names, options.all);
  const sources = await openSources(await settingsOfInstance(env), 'projections rebuild');
  const began = performance.now();
  try {
    const tables = await tablesOf(projections, sources);
    const { reading, ...result } = await runBuild(output, REMEDY, async (how, reading) => ({
      ...(await rebuild(projections, sources, { ...how, afresh: options.afresh ?? false })),
      reading,
    }));
    // What waits for its projector has put nothing aside yet.
    const dropped = options.dropOld && result.ready.length === 0 ? await dropOld(sources.pool, tables) : [];
    return {
      ...result,
      dropped,
      events: reading.events,
      from: reading.from?.toString() ?? null,
      to: reading.to?.toString() ?? null,
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    await sources.close();
  }
}

/** The same for people. */
export function describeRebuilt({ swapped, ready, dropped, events, to, seconds }: Rebuilt): string {
  const read =
    to === null ? 'The log is empty' : `${events.toLocaleString('en')} events read, to position ${to}`;
  return [
    `${read}, in ${durationText(seconds)} (${Math.round(events / seconds).toLocaleString('en')}/s)`,
    ...(swapped.length > 0 ? [`Made anew and live: ${swapped.join(', ')}`] : []),
    ...(ready.length > 0
      ? [`Made, and taken over by the next projector of this program's version: ${ready.join(', ')}`]
      : []),
    ...(dropped.length > 0 ? [`Dropped from before: ${dropped.join(', ')}`] : []),
    ...(dropped.length === 0 && swapped.length > 0
      ? [
          `What was live before is kept until "countinghouse projections drop-old ${swapped.join(' ')}", or the next rebuild`,
        ]
      : []),
    '',
  ].join('\n');
}
