import { resolve } from 'node:path';
import { startEventStoreNode } from '#apps/eventstore';
import { loadSettings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { migrate } from '../migrate/migrate.js';
import { shownPath } from '../processes/paths.js';
import { startProgress } from '../progress.js';
import { printVerification } from '../ledger/verify/print-verification.js';
import { describeRebuilt, rebuildReadModels } from '../projections/rebuild.js';
import { untilStopSignal } from '../until-stop-signal.js';
import { countOf, durationText } from '../wording.js';
import type { BackupFile } from './backup-file.js';
import { headOf } from './event-store-head.js';
import { loadBackup, requireNotNewer } from './load.js';
import { openTarget, requireEmptyTarget, type RestoreTarget } from './target.js';
import { describeBackup, verifyBackup } from './verify-backup.js';

/** Differences that are shown of what `ledger verify` finds. */
const SHOWN = 100;

/**
 * Restores a backup into an empty data folder or an empty database, migrates it, makes the read models, and prints what `ledger verify`
 * says of it. Answers whether that found nothing.
 *
 * @throws {CliError} when the backup is damaged or newer than this program, the target is not empty, or the process was told to end
 */
export async function restore(
  path: string,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<boolean> {
  const say = (text: string): void => void output.write(text);
  await requireEmptyTarget(env);
  const backup = await verifyBackup(resolve(path), output);
  say(describeBackup(backup));
  requireNotNewer(backup);
  const storeUrl = await eventStoreOf(backup, env);
  const target = await openTarget(backup.path, await backup.jwtSecret(), env);
  try {
    await load(backup, target, output);
    const { names } = await migrate(target.databaseUrl);
    if (names.length > 0) say(`${countOf(names.length, 'migration')} ran that the backup did not have\n`);
    await target.finished();
    const node = storeUrl ?? (await startEventStoreNode({ databaseUrl: target.databaseUrl, port: 0 }));
    try {
      return await makeReadModels(target, typeof node === 'string' ? node : node.url, env, output);
    } finally {
      if (typeof node !== 'string') await node.close();
    }
  } finally {
    await target.close();
  }
}

/** The event store that has the log, if it is not in the backup; it must have been brought back before, and to the same event. */
async function eventStoreOf({ manifest }: BackupFile, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { eventStoreUrl } = loadSettings(env);
  if (manifest.log.in === 'database') {
    if (eventStoreUrl === undefined) return undefined;
    throw new CliError(
      'The event log is in the backup, for the embedded event store; EVENTSTORE_URL names another. Leave it out',
    );
  }
  if (eventStoreUrl === undefined)
    throw new CliError(
      'The event log is not in the backup; restore the event store by its own means first, and set EVENTSTORE_URL to it',
    );
  const head = ((await headOf(eventStoreUrl)) ?? -1n).toString();
  if (head !== manifest.log.head)
    throw new CliError(
      `The event store has come to position ${head}, and the backup belongs to ${manifest.log.head}; restore the copy of the event ` +
        'store that was made together with it',
    );
  return eventStoreUrl;
}

async function load(backup: BackupFile, target: RestoreTarget, output: NodeJS.WriteStream): Promise<void> {
  const began = performance.now();
  const progress = startProgress(backup.rows, 'rows restored', output);
  try {
    await untilStopSignal((signal) =>
      loadBackup(
        backup,
        target.databaseUrl,
        (rows) => progress.update(rows, rows),
        () => target.keepKey(),
        signal,
      ).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new CliError('Stopped. What was restored so far is no instance: the same command begins anew');
      }),
    );
  } finally {
    progress.stop();
  }
  const seconds = (performance.now() - began) / 1_000;
  output.write(
    `${countOf(backup.rows, 'row')} restored into ${shownPath(target.name)} in ${durationText(seconds)}\n`,
  );
}

async function makeReadModels(
  { databaseUrl }: RestoreTarget,
  eventStoreUrl: string,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<boolean> {
  const ours = {
    ...env,
    DATABASE_URL: databaseUrl,
    MIGRATION_DATABASE_URL: '',
    EVENTSTORE_URL: eventStoreUrl,
  };
  output.write('Making the read models\n');
  const rebuilt = await rebuildReadModels([], { all: true, dropOld: true }, ours, output);
  output.write(describeRebuilt({ ...rebuilt, swapped: [] }));
  return printVerification(SHOWN, ours);
}
