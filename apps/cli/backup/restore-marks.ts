import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.js';

const markOf = (folder: string): string => join(folder, 'unfinished-restore');
const restoredMarkOf = (folder: string): string => join(folder, 'restored-from');

/** Notes in a data folder that a backup is being restored into it. */
export async function markUnfinished(folder: string, backup: string): Promise<void> {
  await writeFile(markOf(folder), `${backup}\n`, { mode: 0o600, flush: true });
}

/** Notes that everything is there, in place of the note that it is not. */
export async function markFinished(folder: string): Promise<void> {
  await rename(markOf(folder), restoredMarkOf(folder));
}

/** Whether the instance in the data folder came from a backup: then it is somebody's, and no place to make a demo in. */
export async function wasRestored(folder: string): Promise<boolean> {
  return access(restoredMarkOf(folder)).then(
    () => true,
    () => false,
  );
}

/** The backup whose restore into the data folder was not finished, if one was not. */
export async function unfinishedRestoreOf(folder: string): Promise<string | undefined> {
  const text = await readFile(markOf(folder), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Throws a {@link CliError} when a backup was not restored to its end: what is in the folder is then no instance. */
export async function requireRestoredFolder(folder: string): Promise<void> {
  const backup = await unfinishedRestoreOf(folder);
  if (backup !== undefined)
    throw new CliError(
      `The restore of ${backup} into ${folder} was not finished; run "countinghouse restore ${backup}" again, which begins it ` +
        'anew, or remove the folder',
    );
}
