import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { shownPath } from '../processes/paths.js';
import { productVersion } from '../product-version.js';
import { startProgress } from '../progress.js';
import { buildFingerprint } from '../start/migration-stamp.js';
import { untilStopSignal } from '../until-stop-signal.js';
import { countOf, durationText, sizeText } from '../wording.js';
import { ArchiveWriter } from './archive-writer.js';
import { copyTables } from './database-copy.js';
import { findLog, type TellLog } from './log-state.js';
import { FORMAT, MANIFEST, MANIFEST_CHECKSUM, SECRETS, type Manifest } from './manifest.js';
import { openSnapshot, type Snapshot } from './snapshot.js';
import { openSource, type BackupSource } from './source.js';
import { sequencesOf } from './tables.js';

/** A finished backup. */
export interface BackedUp {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  readonly seconds: number;
}

/**
 * Backs up an instance while it runs, and shows the progress on `output`. The file gets its final name when it is complete.
 *
 * @param target the new file, or the folder for it; by default the current folder
 * @throws {CliError} when there is nothing to back up, the file cannot be written, or the process was told to stop
 */
export async function backUp(
  target: string | undefined,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<BackedUp> {
  const began = performance.now();
  const path = await fileOf(resolve(target ?? '.'));
  const source = await openSource(env);
  try {
    return await untilStopSignal(async (signal) => {
      const tellLog = await findLog(source.eventStoreUrl);
      const snapshot = await openSnapshot(source.databaseUrl, signal);
      try {
        const written = await write(path, source, snapshot, tellLog, output, signal);
        return { ...written, seconds: (performance.now() - began) / 1_000 };
      } catch (error) {
        throw signal.aborted ? new CliError('Stopped. No backup was made') : error;
      } finally {
        await snapshot.close();
      }
    });
  } finally {
    await source.close();
  }
}

/** Describes a finished backup for the terminal. */
export function describeBackedUp({ path, bytes, manifest, seconds }: BackedUp): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { log } = manifest;
  return [
    `${path}`,
    `${sizeText(bytes)}, made in ${durationText(seconds)}: ${countOf(rows, 'row')} of ${countOf(manifest.tables.length, 'table')}, ` +
      `as of ${manifest.startedAt}`,
    log.in === 'database'
      ? `It has the event log up to position ${log.head}`
      : `It does not have the event log: back up the event store too, before anything is written. Its last position is ${log.head}`,
    manifest.secrets
      ? 'It has the key that signs access tokens (JWT_SECRET)'
      : 'It does not have JWT_SECRET, since that is a setting: keep it with your settings',
    'Keep the file as safe as the database: it has personal data and the keys that decrypt it',
    '',
  ].join('\n');
}

/** Returns the path of the new file: the given one, or a file named after the time in the given folder. */
async function fileOf(target: string): Promise<string> {
  const found = await stat(target).catch(() => undefined);
  if (!found?.isDirectory()) return target;
  const time = systemClock.now().slice(0, 19).replaceAll(/[-:]/g, '');
  return join(target, `countinghouse-${time}Z.tar`);
}

async function write(
  path: string,
  { jwtSecret }: BackupSource,
  snapshot: Snapshot,
  tellLog: TellLog,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<Omit<BackedUp, 'seconds'>> {
  const log = await tellLog(snapshot);
  const { client, tables, startedAt, postgresVersion, migrations, logMigrations, partitions } = snapshot;
  const archive = await ArchiveWriter.create(path);
  const estimate = tables.reduce((sum, table) => sum + table.estimate, 0);
  const progress = startProgress(estimate, 'rows', output);
  try {
    const copied = (rows: number): void => progress.update(Math.min(rows, estimate), rows);
    const parts = await copyTables(client, tables, archive, copied, signal);
    progress.update(
      estimate,
      parts.reduce((sum, part) => sum + part.rows, 0),
    );
    const secrets = jwtSecret && (await archive.add(SECRETS, [Buffer.from(JSON.stringify({ jwtSecret }))]));
    const manifest: Manifest = {
      ...{ format: FORMAT, version: await productVersion(), build: await buildFingerprint() },
      ...{ startedAt, postgresVersion, migrations, logMigrations, log, partitions },
      // The sequences are read after the rows. A restored sequence may be ahead of the rows, but must not be behind them.
      sequences: await sequencesOf(client),
      tables: parts,
      ...(secrets ? { secrets } : {}),
    };
    const { sha256 } = await archive.add(MANIFEST, [Buffer.from(JSON.stringify(manifest, undefined, 1))]);
    await archive.add(MANIFEST_CHECKSUM, [Buffer.from(`${sha256}\n`)]);
    signal.throwIfAborted();
    return { path: shownPath(path), bytes: await archive.finish(), manifest };
  } catch (error) {
    await archive.discard();
    throw error;
  } finally {
    progress.stop();
  }
}
