import { projections } from '#projections';
import {
  describeReadModels,
  type BuildState,
  type ReadModelState,
  type ReadSideState,
} from '#libs/kernel/projection';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { durationText, sizeText } from '../wording.js';
import { openReadModelSources, type ReadModelSources } from './read-model-sources.js';

/** Reads the state of all read models once. */
export async function readReadModelStates(env: NodeJS.ProcessEnv): Promise<ReadSideState> {
  const sources = await openReadModelSources(await readSettingsWithServerUrls(env), 'projections list');
  try {
    return await describeReadModels(projections, sources);
  } finally {
    await sources.close();
  }
}

/** Reads the state of all read models repeatedly, until `signal` is aborted. */
export async function watchReadModelStates(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  show: (state: ReadSideState) => Promise<void>,
): Promise<void> {
  const sources: ReadModelSources = await openReadModelSources(
    await readSettingsWithServerUrls(env),
    'projections status',
  );
  try {
    while (!signal.aborted) await show(await describeReadModels(projections, sources));
  } finally {
    await sources.close();
  }
}

/** Tells whether every read model has this program's version, and a projector keeps all of them current. */
export function areReadModelsKeptCurrent({ projectorAtWork, models }: ReadSideState): boolean {
  return (
    projectorAtWork &&
    models.every(({ version, ownVersion, isCurrent }) => version === ownVersion && isCurrent)
  );
}

/** Formats the read models as a table, with their errors below it. */
export function describeReadModelStates(side: ReadSideState): string {
  return [
    ...formatStatusTable(statusTableRows(side.models)),
    ...readModelBuildErrors(side),
    projectorStateText(side),
    '',
  ].join('\n');
}

const COLUMNS = ['read model', 'version', 'position', 'behind', 'seconds', 'size', 'kept', 'state'] as const;
type Column = (typeof COLUMNS)[number];
/** A row of the table, as the text of each column. */
export type StatusTableRow = Record<Column, string>;

/** Returns the rows of the table, without its headings. */
export function statusTableRows(models: readonly ReadModelState[]): StatusTableRow[] {
  return models.map((model) => ({
    'read model': model.name,
    version: model.version === null ? '–' : String(model.version),
    position: model.position?.toString() ?? '–',
    behind: model.lag.positions.toLocaleString('en'),
    seconds: model.lag.seconds.toFixed(1),
    size: sizeText(model.bytes),
    kept: model.oldBytes === 0 ? '–' : sizeText(model.oldBytes),
    state: stateOf(model),
  }));
}

/** Formats a table with its headings. The columns of `without` are omitted. */
export function formatStatusTable(
  rows: readonly StatusTableRow[],
  without: readonly Column[] = [],
): string[] {
  const columns = COLUMNS.filter((column) => !without.includes(column));
  const headings = Object.fromEntries(COLUMNS.map((column) => [column, column])) as StatusTableRow;
  const widths = columns.map((column) => Math.max(...[headings, ...rows].map((row) => row[column].length)));
  const isNumber = (column: Column): boolean => column !== 'read model' && column !== 'state';
  return [headings, ...rows].map((row) =>
    columns
      .map((column, i) =>
        isNumber(column) ? row[column].padStart(widths[i]!) : row[column].padEnd(widths[i]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** Returns the errors of failed builds of read models. */
export function readModelBuildErrors({ models }: ReadSideState): string[] {
  return models.flatMap(({ builds }) => builds.flatMap(({ error }) => (error === null ? [] : [error])));
}

/** Describes whether a projector keeps the read models current. */
export function projectorStateText({ projectorAtWork, models }: ReadSideState): string {
  const most = Math.max(0, ...models.map(({ lag }) => lag.seconds));
  return projectorAtWork
    ? `A projector is at work${most >= 1 ? `, ${durationText(most)} behind` : ''}`
    : 'No projector is at work, so the read models do not change';
}

function stateOf({ version, ownVersion, isCurrent, builds }: ReadModelState): string {
  const live =
    version === null
      ? 'not created yet'
      : version === ownVersion && isCurrent
        ? 'live'
        : `waits for version ${ownVersion}`;
  return [live, ...builds.map(buildText)].join('; ');
}

function buildText({ purpose, position, state, error, isRunning }: BuildState): string {
  const what = purpose === 'rebuild' ? 'rebuild' : 'verification';
  const where = position === undefined ? 'at the start' : `at ${position}`;
  if (isRunning) return `${what} ${where}`;
  if (error !== null) return `${what} failed ${where}`;
  return state === 'filled' && purpose === 'rebuild'
    ? `rebuilt to ${where.slice(3)}, not swapped`
    : `${what} interrupted ${where}`;
}
