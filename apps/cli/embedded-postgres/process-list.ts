import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The command line of a running process, or undefined when there is no such process. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    // Small images have no `ps`; a process that has ended but was not yet reaped has an empty command line.
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line === '' ? undefined : line.replaceAll('\0', ' ').trim();
  }
  const list =
    process.platform === 'win32'
      ? run('powershell', [
          '-NoProfile',
          '-Command',
          `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`,
        ])
      : run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
  return list.then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );
}
