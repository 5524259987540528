import {
  ReadModelOfOtherVersion,
  compareReadModels,
  type RowDifference,
  type VerifyResult,
} from '#libs/kernel/projection';
import { CliError } from '../cli-error.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { runReadModelBuild } from './run-build.js';
import { countWithNoun, durationText } from '../wording.js';
import { openReadModelSources, projectionsNamed } from './read-model-sources.js';

/** The options of `countinghouse projections verify`. */
export interface VerifyReadModelsOptions {
  all?: boolean;
  /** The maximum number of differing rows that are listed for each table. */
  max: number;
}

/** The result of a verification of read models. */
export interface ReadModelsVerification {
  readonly models: VerifyResult[];
  /** The number of events that were read from the log. */
  readonly events: number;
  /** The number of compared rows. */
  readonly rows: number;
  /** The number of rows that differ. */
  readonly differences: number;
  /** The time that the verification took, in seconds. */
  readonly seconds: number;
}

const REMEDY = 'Nothing was compared, and nothing was changed';

/** Builds read models next to the live read models, and compares both row by row. Shows the progress on `output`. */
export async function verifyReadModels(
  names: readonly string[],
  { all, max }: VerifyReadModelsOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<ReadModelsVerification> {
  const projections = projectionsNamed(names, all);
  const sources = await openReadModelSources(await readSettingsWithServerUrls(env), 'projections verify');
  const began = performance.now();
  try {
    const { models, events } = await runReadModelBuild(output, REMEDY, async (how, reading) => ({
      models: await compareReadModels(projections, sources, { ...how, maxDifferences: max }),
      events: reading.eventCount,
    }));
    const tables = models.flatMap((model) => model.tables);
    return {
      models,
      events,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      differences: tables.reduce((sum, { differences }) => sum + differences, 0),
      seconds: (performance.now() - began) / 1_000,
    };
  } catch (error) {
    if (!(error instanceof ReadModelOfOtherVersion)) throw error;
    throw new CliError(
      `${error.message}: verify it with a program of its version, or rebuild it with "countinghouse projections rebuild ` +
        `${error.projection}"`,
    );
  } finally {
    await sources.close();
  }
}

/** Describes the result for the terminal: each difference, and a summary line for each read model. */
export function describeReadModelsVerification({
  models,
  events,
  rows,
  differences,
  seconds,
}: ReadModelsVerification): string {
  const lines: string[] = [];
  for (const { projection, position, tables } of models) {
    for (const table of tables) {
      lines.push(...table.first.map((one) => `${projection}: ${describe(one)}`));
      const more = table.differences - table.first.length;
      if (more > 0)
        lines.push(`${projection}: ${table.table}: … and ${countWithNoun(more, 'more difference')}`);
    }
    const found = tables.reduce((sum, one) => sum + one.differences, 0);
    const compared = tables.reduce((sum, one) => sum + one.rows, 0);
    const verdict = found === 0 ? 'matches the events' : `${countWithNoun(found, 'difference')}`;
    lines.push(`${projection}: ${countWithNoun(compared, 'row')} to position ${position ?? '–'}: ${verdict}`);
  }
  lines.push(
    `${countWithNoun(events, 'event')} read, ${countWithNoun(rows, 'row')} compared in ${durationText(seconds)}: ` +
      (differences === 0 ? 'nothing differs' : `${countWithNoun(differences, 'difference')} found`),
    '',
  );
  return lines.join('\n');
}

function describe({ table, key, kind, columns }: RowDifference): string {
  const row = `${table} (${Object.entries(key)
    .map(([column, value]) => `${column} ${value}`)
    .join(', ')})`;
  if (kind === 'missing') return `${row}: missing`;
  if (kind === 'unexpected') return `${row}: no event leads to this row`;
  const changes = columns.flatMap(({ column, live, expected }) => changesOf(column, live, expected));
  return `${row}: ${changes.join('; ')}`;
}

/** Describes how two values differ. For two objects, the text names the fields that differ. */
function changesOf(name: string, live: string | null, expected: string | null): string[] {
  const [one, other] = [objectIn(live), objectIn(expected)];
  const changes = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .map((field) => [field, JSON.stringify(one[field]), JSON.stringify(other[field])] as const)
    .filter(([, is, must]) => is !== must)
    .map(([field, is, must]) => `${name}.${field} is ${is ?? 'not there'} and must be ${must ?? 'left out'}`);
  // This also covers numbers that are equal but written differently.
  return changes.length > 0 ? changes : [`${name} is ${live ?? 'null'} and must be ${expected ?? 'null'}`];
}

/** Parses a JSON object. Returns an empty object if the text is not an object. */
function objectIn(text: string | null): Record<string, unknown> {
  if (!text?.startsWith('{')) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
