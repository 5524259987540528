import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Returns the command line of a running process, or undefined if there is no such process. */
export async function processCommandLine(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ask(pid, 'args', 'CommandLine');
  // Linux is read from /proc, since small images have no `ps`. A zombie process has an empty command line.
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.replaceAll('\0', ' ').trim() || undefined;
}

/**
 * Returns the start time of a running process in the system's own notation, or undefined if there is no such process. The pid and the start
 * time together identify a process. The pid alone is not enough, because the system reuses pids.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ask(pid, 'lstart', 'CreationDate');
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The start time is the 22nd field. The second field is the program's name in parentheses, which may contain any characters.
  const [state, ...rest] = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
  return state === '' || state === 'Z' ? undefined : rest[18];
}

async function ask(pid: number, psColumn: string, windowsProperty: string): Promise<string | undefined> {
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').${windowsProperty}`;
  const answer =
    process.platform === 'win32'
      ? run('powershell', ['-NoProfile', '-Command', query])
      : run('ps', ['-ww', '-o', `${psColumn}=`, '-p', String(pid)]);
  return answer.then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );
}
