import { projections } from '#apps/projector';
import {
  describeReadModels,
  type BuildState,
  type ReadModelState,
  type ReadSideState,
} from '#libs/projection';
import { settingsOfInstance } from '../start/running-instance.js';
import { durationText } from '../wording.js';
import { openSources, type Sources } from './sources.js';

/** Looks at all read models, once. */
export async function readStates(env: NodeJS.ProcessEnv): Promise<ReadSideState> {
  const sources = await openSources(await settingsOfInstance(env), 'projections list');
  try {
    return await describeReadModels(projections, sources);
  } finally {
    await sources.close();
  }
}

/** Looks at all read models again and again, until `signal` is aborted. */
export async function watchStates(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  show: (state: ReadSideState) => Promise<void>,
): Promise<void> {
  const sources: Sources = await openSources(await settingsOfInstance(env), 'projections status');
  try {
    while (!signal.aborted) await show(await describeReadModels(projections, sources));
  } finally {
    await sources.close();
  }
}

/** Whether every read model is of this program's version, and a projector adds to all of them. */
export function isKeptCurrent({ projectorAtWork, models }: ReadSideState): boolean {
  return (
    projectorAtWork &&
    models.every(({ version, ownVersion, isCurrent }) => version === ownVersion && isCurrent)
  );
}

/** A table of read models, and below it what is wrong. */
export function describeStates({ projectorAtWork, models }: ReadSideState): string {
  const rows = [
    ['read model', 'version', 'position', 'behind', 'seconds', 'size', 'kept', 'state'],
    ...models.map((model) => [
      model.name,
      model.version === null ? '–' : String(model.version),
      model.position?.toString() ?? '–',
      model.lag.positions.toLocaleString('en'),
      model.lag.seconds.toFixed(1),
      sizeText(model.bytes),
      model.oldBytes === 0 ? '–' : sizeText(model.oldBytes),
      stateOf(model),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const isNumber = (column: number): boolean => column > 0 && column < 7;
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const errors = models.flatMap(({ builds }) =>
    builds.flatMap(({ error }) => (error === null ? [] : [error])),
  );
  const most = Math.max(0, ...models.map(({ lag }) => lag.seconds));
  const projector = projectorAtWork
    ? `A projector is at work${most >= 1 ? `, ${durationText(most)} behind` : ''}`
    : 'No projector is at work: nothing is added to the read models';
  return [...lines, ...errors, projector, ''].join('\n');
}

function stateOf({ version, ownVersion, isCurrent, builds }: ReadModelState): string {
  const live =
    version === null
      ? 'not made yet'
      : version === ownVersion && isCurrent
        ? 'live'
        : `awaits version ${ownVersion}`;
  return [live, ...builds.map(buildText)].join('; ');
}

function buildText({ purpose, position, state, error, isRunning }: BuildState): string {
  const what = purpose === 'rebuild' ? 'rebuild' : 'verification';
  const where = position === undefined ? 'at the start' : `at ${position}`;
  if (isRunning) return `${what} ${where}`;
  if (error !== null) return `${what} failed ${where}`;
  return state === 'filled' && purpose === 'rebuild'
    ? `made anew to ${where.slice(3)}, not swapped`
    : `${what} left ${where}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function sizeText(bytes: number): string {
  const step = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** step;
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${UNITS[step]!}`;
}
