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

/** What was backed up. */
export interface BackedUp {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  readonly seconds: number;
}

/**
 * Backs up an instance while it runs, showing on `output` how far it is. The file gets its name when it is whole.
 *
 * @param target the file to make, or the folder to make one in; by default the current folder
 * @throws {CliError} when there is nothing to back up, the file cannot be written, or the process was told to end
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

/** What came of it, for people. */
export function describeBackedUp({ path, bytes, manifest, seconds }: BackedUp): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { log } = manifest;
  return [
    `${path}`,
    `${sizeText(bytes)}, made in ${durationText(seconds)}: ${countOf(rows, 'row')} of ${countOf(manifest.tables.length, 'table')}, ` +
      `as of ${manifest.startedAt}`,
    log.in === 'database'
      ? `The event log is in it up to position ${log.head}`
      : `The event log is not in it: back the event store up too, before anything is written. It has come to position ${log.head}`,
    manifest.secrets
      ? 'The key that signs access tokens (JWT_SECRET) is in it'
      : 'JWT_SECRET is not in it, since it is a setting: keep it with your settings',
    'Keep it as safe as the database: it has personal data and the keys to it',
    '',
  ].join('\n');
}

/** The file to make: the one that is named, or one that is named after the time in the folder that is. */
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
      // Behind the rows: a sequence may be ahead of them, and must not be behind.
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
