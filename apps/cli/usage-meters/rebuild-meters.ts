import pg from 'pg';
import { columnTypeParsers } from '#libs/kernel/postgres';
import {
  dropOldMeters,
  LogHead,
  MeterFoldFailed,
  MeterRebuild,
  MetersBusy,
  MeterStore,
  MeterVerification,
  type MeterBuildOptions,
  type MeterComparison,
  type MeterRebuildResult,
} from '#libs/usage';
import { CliError } from '../cli-error.js';
import { KnownWorkspaces, MAX_SHOWN_WORKSPACES } from '../known-workspaces.js';
import { requireDatabaseUpToDate } from '../migrate/up-to-date.js';
import { startProgress, type Progress } from '../progress.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, durationText } from '../wording.js';

/** The options of `countinghouse usage rebuild-meters`. */
export interface RebuildMetersOptions {
  /** The id of the only workspace whose meters are rebuilt or compared; by default, all workspaces are. */
  workspace?: string;
  /** Tells whether the replaced meters are dropped. By default they are kept. */
  dropOld?: boolean;
}

/** The result of a rebuild of meters. */
export interface MetersRebuildResult extends MeterRebuildResult {
  /** The number of old meters that were dropped. */
  readonly dropped: number;
  /** The time that the rebuild took, in seconds. */
  readonly seconds: number;
}

/** The result of a comparison of meters. */
export interface MetersVerification {
  readonly meters: MeterComparison[];
  /** The number of compared hours of all meters together. */
  readonly hours: number;
  /** The number of differences of all meters together. */
  readonly differences: number;
  /** The time that the comparison took, in seconds. */
  readonly seconds: number;
}

const SHOWN = 20;
const CONNECTIONS = 4;
const REBUILD_REMEDY =
  'Each live meter is unchanged, or was already replaced as a whole. Run the same command to continue an interrupted rebuild';
const VERIFY_REMEDY = 'The live meters are unchanged. The same command begins the comparison again';

/** Rebuilds the meters and replaces the live ones, each in its own transaction. Shows the progress on `output`. */
export async function rebuildMeters(
  { workspace, dropOld = false }: RebuildMetersOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<MetersRebuildResult> {
  const began = performance.now();
  return withMeters(workspace, env, output, REBUILD_REMEDY, async ({ pool, meters, head }, options) => {
    const rebuilt = await new MeterRebuild(pool, meters, head).run(options);
    const dropped = dropOld ? await dropOldMeters(pool, workspace) : 0;
    return { ...rebuilt, dropped, seconds: (performance.now() - began) / 1_000 };
  });
}

/** Compares the live meters with the usage log. Shows the progress on `output`. */
export async function verifyMeters(
  { workspace }: RebuildMetersOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<MetersVerification> {
  const began = performance.now();
  return withMeters(workspace, env, output, VERIFY_REMEDY, async ({ pool, meters, head }, options) => {
    const compared = await new MeterVerification(pool, meters, head).run(SHOWN, options);
    return {
      meters: compared,
      hours: compared.reduce((sum, { hours }) => sum + hours, 0),
      differences: compared.reduce((sum, { differences }) => sum + differences, 0),
      seconds: (performance.now() - began) / 1_000,
    };
  });
}

interface MeterTools {
  readonly pool: pg.Pool;
  readonly meters: MeterStore;
  readonly head: LogHead;
}

/**
 * Runs work with a database connection, a progress display and a stop signal.
 *
 * @param remedy the advice that the error message gives when the work stops
 */
async function withMeters<T>(
  workspace: string | undefined,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
  remedy: string,
  work: (tools: MeterTools, options: MeterBuildOptions) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = await readSettingsWithServerUrls(env, ['databaseUrl']);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'countinghouse usage rebuild-meters',
    max: CONNECTIONS,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', () => undefined);
  let progress: Progress | undefined;
  return runUntilStopSignal(async (signal) => {
    try {
      await pool.query('SELECT').catch((error: Error) => {
        throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
      });
      await requireDatabaseUpToDate(pool.query('SELECT role FROM usage.meters LIMIT 0'));
      await requireWorkspace(pool, workspace);
      return await work(
        { pool, meters: new MeterStore(pool), head: new LogHead(pool) },
        {
          ...(workspace === undefined ? {} : { workspaceId: workspace }),
          signal,
          onBegin: (events) => (progress = startProgress(events, 'events', output)),
          onFolded: (events) => progress?.update(events, events),
        },
      );
    } catch (error) {
      if (signal.aborted) throw new CliError(`Stopped. ${remedy}`);
      if (error instanceof MeterFoldFailed) throw new CliError(`${error.message}\n${remedy}`);
      if (error instanceof MetersBusy) throw new CliError(`${error.message}; wait for it, or end it`);
      throw error;
    } finally {
      progress?.stop();
      await pool.end();
    }
  });
}

async function requireWorkspace(pool: pg.Pool, workspace: string | undefined): Promise<void> {
  if (workspace === undefined) return;
  const { rowCount } = await pool.query('SELECT FROM workspaces.clocks WHERE workspace_id = $1', [workspace]);
  if (rowCount !== 0) return;
  const { rows } = await pool.query<{ id: string }>(
    'SELECT workspace_id AS id FROM workspaces.clocks ORDER BY workspace_id LIMIT $1',
    [MAX_SHOWN_WORKSPACES + 1],
  );
  const known = new KnownWorkspaces();
  for (const { id } of rows) known.add(id);
  throw new CliError(`There is no workspace "${workspace}"; the database has ${known.listText()}`);
}

/** Describes the result of a rebuild for the terminal. */
export function describeMetersRebuild({ meters, events, dropped, seconds }: MetersRebuildResult): string {
  return [
    `${countWithNoun(meters, 'meter')} rebuilt from ${countWithNoun(events, 'event')} in ${durationText(seconds)}`,
    dropped > 0
      ? `${countWithNoun(dropped, 'old meter')} dropped`
      : 'The replaced meters are kept until the next rebuild; with --drop-old they are dropped',
    '',
  ].join('\n');
}

/** Describes the result of a comparison for the terminal: each difference, and a summary line for each meter that differs. */
export function describeMetersVerification({
  meters,
  hours,
  differences,
  seconds,
}: MetersVerification): string {
  const lines: string[] = [];
  for (const { workspaceId, eventName, aggregation, first, ...meter } of meters) {
    if (meter.differences === 0) continue;
    const name = `${aggregation} of "${eventName}" of ${workspaceId}`;
    for (const { customerId, hour, group, live, expected } of first)
      lines.push(
        `${name}: ${customerId}, hour ${hour}, group ${group}: ${live ?? 'missing'}, and must be ${expected ?? 'absent'}`,
      );
    lines.push(
      `${name}: ${countWithNoun(meter.differences, 'difference')} in ${countWithNoun(meter.hours, 'hour')}`,
    );
  }
  lines.push(
    `${countWithNoun(meters.length, 'meter')}, ${countWithNoun(hours, 'hour')} compared in ${durationText(seconds)}: ` +
      (differences === 0 ? 'nothing differs' : `${countWithNoun(differences, 'difference')} found`),
    '',
  );
  return lines.join('\n');
}
