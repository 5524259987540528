import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { displayPath } from '../processes/paths.js';
import { productVersion } from '../product-version.js';
import { startProgress } from '../progress.js';
import { fingerprintOfBuild } from '../start/migration-stamp.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, durationText, sizeText } from '../wording.js';
import { ArchiveWriter } from './archive-writer.js';
import { copyTables } from './database-copy.js';
import { prepareLogStateReader, type LogStateReader } from './log-state.js';
import {
  BACKUP_FORMAT,
  MANIFEST_FILE,
  MANIFEST_CHECKSUM_FILE,
  SECRETS_FILE,
  type BackupManifest,
} from './manifest.js';
import { openDatabaseSnapshot, type DatabaseSnapshot } from './snapshot.js';
import { openBackupSource, type BackupSource } from './backup-source.js';
import { readSequences } from './backup-tables.js';

/** A finished backup. */
export interface FinishedBackup {
  readonly path: string;
  /** The size of the backup file, in bytes. */
  readonly bytes: number;
  readonly manifest: BackupManifest;
  /** The time that the backup took, in seconds. */
  readonly seconds: number;
}

/**
 * Backs up an instance, running or stopped, and shows the progress on `output`. The file gets its final name when it is complete.
 *
 * @param target the new file, or the folder for it; by default the current folder
 * @throws {CliError} if there is nothing to back up, the file cannot be written, a program writes to an external event store, or the
 *   process receives a stop signal
 */
export async function backUp(
  target: string | undefined,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<FinishedBackup> {
  const began = performance.now();
  const path = await backupPathFor(resolve(target ?? '.'));
  const source = await openBackupSource(env);
  try {
    return await runUntilStopSignal(async (signal) => {
      const tellLog = await prepareLogStateReader(source.eventStoreUrl);
      const snapshot = await openDatabaseSnapshot(source.databaseUrl, signal);
      try {
        const written = await writeBackup(path, source, snapshot, tellLog, output, signal);
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
export function describeFinishedBackup({ path, bytes, manifest, seconds }: FinishedBackup): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { log } = manifest;
  return [
    `${path}`,
    `${sizeText(bytes)}, made in ${durationText(seconds)}: ${countWithNoun(rows, 'row')} of ${countWithNoun(manifest.tables.length, 'table')}, ` +
      `as of ${manifest.startedAt}`,
    log.in === 'database'
      ? `It has the event log up to position ${log.head}`
      : `It does not have the event log: back up the event store too, before anything is written. Its last position is ${log.head}`,
    manifest.secrets
      ? 'It has the JWT_SECRET of DATA_DIR. If the instance runs with another JWT_SECRET, keep that with your settings'
      : 'It does not have JWT_SECRET: keep it with your settings, or with secrets.json of the DATA_DIR that has it',
    'Keep the file as safe as the database: it has personal data and the keys that decrypt it',
    '',
  ].join('\n');
}

/** Returns the path of the new backup file: the given path, or a file in the given folder that is named after the time. */
async function backupPathFor(target: string): Promise<string> {
  const found = await stat(target).catch(() => undefined);
  if (!found?.isDirectory()) return target;
  const time = systemClock.now().slice(0, 19).replaceAll(/[-:]/g, '');
  return join(target, `countinghouse-${time}Z.tar`);
}

async function writeBackup(
  path: string,
  { jwtSecret }: BackupSource,
  snapshot: DatabaseSnapshot,
  tellLog: LogStateReader,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<Omit<FinishedBackup, 'seconds'>> {
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
    const secrets =
      jwtSecret && (await archive.add(SECRETS_FILE, [Buffer.from(JSON.stringify({ jwtSecret }))]));
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      version: await productVersion(),
      build: await fingerprintOfBuild(),
      startedAt,
      postgresVersion,
      migrations,
      logMigrations,
      log,
      partitions,
      // The sequences are read after the rows. A restored sequence can be ahead of the rows, but must not be behind them.
      sequences: await readSequences(client),
      tables: parts,
      ...(secrets ? { secrets } : {}),
    };
    const { sha256 } = await archive.add(MANIFEST_FILE, [
      Buffer.from(JSON.stringify(manifest, undefined, 1)),
    ]);
    await archive.add(MANIFEST_CHECKSUM_FILE, [Buffer.from(`${sha256}\n`)]);
    signal.throwIfAborted();
    return { path: displayPath(path), bytes: await archive.finish(), manifest };
  } catch (error) {
    await archive.discard();
    throw error;
  } finally {
    progress.stop();
  }
}
