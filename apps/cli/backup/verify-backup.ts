import { CliError } from '../cli-error.js';
import { startProgress } from '../progress.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, sizeText } from '../wording.js';
import { BackupFile } from './backup-file.js';

/**
 * Opens a backup and compares each part with its checksum. Shows the progress on `output`.
 *
 * @throws {CliError} if a part does not match its checksum, or the process receives a stop signal
 */
export async function verifyBackup(
  path: string | undefined,
  output: NodeJS.WriteStream,
): Promise<BackupFile> {
  if (path === undefined) throw new CliError('Name the backup: a file that "countinghouse backup" has made');
  const backup = await BackupFile.open(path);
  const progress = startProgress(backup.sizeOfParts, 'tables checked', output);
  try {
    await runUntilStopSignal((signal) =>
      backup.verify((bytes, parts) => progress.update(bytes, parts), signal),
    );
    return backup;
  } catch (error) {
    throw (error as Error).name === 'AbortError'
      ? new CliError('Stopped before the whole backup was checked')
      : error;
  } finally {
    progress.stop();
  }
}

/** Describes a complete backup for the terminal. */
export function describeBackup({ path, manifest, size, rowCount: rows }: BackupFile): string {
  return [
    `${path} is complete: ${sizeText(size)}, ${countWithNoun(rows, 'row')} of ${countWithNoun(manifest.tables.length, 'table')}`,
    `Made by Countinghouse ${manifest.version} as of ${manifest.startedAt}`,
    '',
  ].join('\n');
}
