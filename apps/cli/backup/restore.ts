import { resolve } from 'node:path';
import { startEventStoreNode } from '#apps/eventstore';
import { loadSettings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { migrateAndGrantRights } from '../migrate/migrate.js';
import { displayPath } from '../processes/paths.js';
import { startProgress } from '../progress.js';
import { printVerification } from '../ledger/verify/print-verification.js';
import { describeReadModelsRebuild, rebuildReadModels } from '../projections/rebuild.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, durationText } from '../wording.js';
import type { BackupFile } from './backup-file.js';
import { readEventStoreHead } from './read-event-store-head.js';
import { loadBackup, removeLoadedMark, requireSupportedBackup } from './load-backup.js';
import { openRestoreTarget, requireEmptyRestoreTarget, type RestoreTarget } from './restore-target.js';
import { describeBackup, verifyBackup } from './verify-backup.js';

/** The maximum number of differences of `ledger verify` that a restore shows. */
const MAX_SHOWN_DIFFERENCES = 100;

/**
 * Restores a backup into an empty data folder or an empty database, migrates it and builds the read models. The function then prints the
 * result of `ledger verify`. Returns true if the verification found no difference. After an interruption, a second call starts from the
 * beginning, or goes on after the rows if all of them were restored.
 *
 * @throws {CliError} if the backup is damaged or newer than this program. Also if the target is not empty, or if an external event store is
 *   not at the backup's position. Also if the process receives a stop signal while it checks the backup, loads rows or makes read models.
 */
export async function restoreAndVerify(
  path: string,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<boolean> {
  const say = (text: string): void => void output.write(text);
  await requireEmptyRestoreTarget(env);
  const backup = await verifyBackup(resolve(path), output);
  say(describeBackup(backup));
  await requireSupportedBackup(backup);
  const storeUrl = await requireEventStoreFor(backup, env);
  const target = await openRestoreTarget(backup.path, await backup.jwtSecret(), env);
  try {
    await loadWithProgress(backup, target, output);
    const { names } = await migrateAndGrantRights(target.databaseUrl);
    if (names.length > 0)
      say(`${countWithNoun(names.length, 'migration')} ran that the backup did not have yet\n`);
    await target.markFinished();
    const node = storeUrl ?? (await startEventStoreNode({ databaseUrl: target.databaseUrl, port: 0 }));
    try {
      const isAsItShouldBe = await makeReadModels(
        target,
        typeof node === 'string' ? node : node.url,
        env,
        output,
      );
      await target.markVerified();
      await removeLoadedMark(target.databaseUrl);
      return isAsItShouldBe;
    } finally {
      if (typeof node !== 'string') await node.close();
    }
  } finally {
    await target.close();
  }
}

/**
 * Returns the URL of the external event store, or undefined if the backup contains the event log. An external event store must already be
 * restored, and end at the last event of the backup. Throws a {@link CliError} otherwise, or if EVENTSTORE_URL is set although the backup
 * contains the event log.
 */
async function requireEventStoreFor(
  { manifest }: BackupFile,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { eventStoreUrl } = loadSettings(env);
  if (manifest.log.in === 'database') {
    if (eventStoreUrl === undefined) return undefined;
    throw new CliError(
      'The backup has the event log, for the embedded event store, but EVENTSTORE_URL names another event store. Do not set EVENTSTORE_URL',
    );
  }
  if (eventStoreUrl === undefined)
    throw new CliError(
      'The backup does not have the event log; restore the event store with its own tools first, and set EVENTSTORE_URL to it',
    );
  const head = ((await readEventStoreHead(eventStoreUrl)) ?? -1n).toString();
  if (head !== manifest.log.head)
    throw new CliError(
      `The event store ends at position ${head}, but the backup belongs to position ${manifest.log.head}; restore the copy of the ` +
        'event store that was made together with the backup',
    );
  return eventStoreUrl;
}

async function loadWithProgress(
  backup: BackupFile,
  target: RestoreTarget,
  output: NodeJS.WriteStream,
): Promise<void> {
  const began = performance.now();
  const progress = startProgress(backup.rowCount, 'rows restored', output);
  let isFirst: boolean;
  try {
    isFirst = await runUntilStopSignal((signal) =>
      loadBackup(
        backup,
        target.databaseUrl,
        (rows) => progress.update(rows, rows),
        () => target.storeJwtSecret(),
        signal,
      ).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new CliError(
          'Stopped. The restore is unfinished. Run the same command again: it starts from the beginning',
        );
      }),
    );
  } finally {
    progress.stop();
  }
  if (!isFirst) {
    output.write('The rows are restored already. The restore goes on after them\n');
    return;
  }
  const seconds = (performance.now() - began) / 1_000;
  output.write(
    `${countWithNoun(backup.rowCount, 'row')} restored into ${displayPath(target.name)} in ${durationText(seconds)}\n`,
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
  output.write(describeReadModelsRebuild({ ...rebuilt, swapped: [] }));
  return printVerification({ max: MAX_SHOWN_DIFFERENCES }, ours);
}
