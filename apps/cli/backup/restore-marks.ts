import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.js';

const unfinishedMarkPath = (folder: string): string => join(folder, 'unfinished-restore');
const finishedMarkPath = (folder: string): string => join(folder, 'restored-from');
const unverifiedMarkPath = (folder: string): string => join(folder, 'unverified-restore');

/** Marks a data folder as the target of an unfinished restore. */
export async function markRestoreUnfinished(folder: string, backup: string): Promise<void> {
  await writeFile(unfinishedMarkPath(folder), `${backup}\n`, { mode: 0o600, flush: true });
}

/**
 * Replaces the mark of an unfinished restore by the mark of a finished restore. Marks the folder also as the target of a restore that is
 * not verified yet, until {@link markRestoreVerified} is called.
 */
export async function markRestoreFinished(folder: string): Promise<void> {
  await writeFile(unverifiedMarkPath(folder), '', { mode: 0o600, flush: true });
  await rename(unfinishedMarkPath(folder), finishedMarkPath(folder));
}

/** Removes the mark of a restore that is not verified yet. */
export async function markRestoreVerified(folder: string): Promise<void> {
  await rm(unverifiedMarkPath(folder), { force: true });
}

/** Tells whether all rows of a backup were restored into a data folder, and the restore was interrupted before its end. */
export async function isRestoreUnverified(folder: string): Promise<boolean> {
  return exists(unverifiedMarkPath(folder));
}

/**
 * Tells whether a backup was restored into a data folder. The instance in such a folder gets no demo data. A restore into the database of
 * DATABASE_URL leaves no mark in a data folder, so the result is then false. The users of such a database prevent the demo.
 */
export async function wasRestored(folder: string): Promise<boolean> {
  return exists(finishedMarkPath(folder));
}

/** Returns the path of the backup whose restore into a data folder is unfinished, or undefined if no restore is unfinished. */
export async function unfinishedRestoreOf(folder: string): Promise<string | undefined> {
  const text = await readFile(unfinishedMarkPath(folder), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Throws a {@link CliError} if a restore into the folder is unfinished, because the folder has no complete instance. */
export async function requireNoUnfinishedRestore(folder: string): Promise<void> {
  const backup = await unfinishedRestoreOf(folder);
  if (backup !== undefined)
    throw new CliError(
      `The restore of ${backup} into ${folder} was not finished; run "countinghouse restore ${backup}" again, which starts ` +
        'from the beginning, or remove the folder',
    );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
