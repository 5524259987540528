import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processStartTime } from '../../apps/cli/processes/process-list.ts';

/** A process of this machine. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  commandLine: string;
}

/** Everything that a process has started, directly or not, that still runs. */
export async function descendantsOf(pid: number): Promise<ProcessEntry[]> {
  const all = await processes();
  const found: ProcessEntry[] = [];
  const parents = [pid];
  for (const parent of parents)
    for (const entry of all)
      if (entry.parent === parent) {
        found.push(entry);
        parents.push(entry.pid);
      }
  return found;
}

/** Longer than any process has to end in order, also on a slow machine. */
const GONE_MILLIS = 120_000;

/**
 * Resolves when none of the processes runs any more; rejects when one still does after `millis`. They are not our
 * children, and the system tells nobody else of their end, so this looks again and again.
 */
export async function allGone(entries: ProcessEntry[], millis = GONE_MILLIS): Promise<void> {
  const deadline = performance.now() + millis;
  for (;;) {
    const running = await Promise.all(
      entries.map(async (entry) => ((await processStartTime(entry.pid)) ? [entry] : [])),
    );
    if (running.flat().length === 0) return;
    if (performance.now() > deadline)
      throw new Error(
        `Still running: ${running
          .flat()
          .map((entry) => entry.commandLine)
          .join('; ')}`,
      );
    await pause(50);
  }
}

async function processes(): Promise<ProcessEntry[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
    return stdout.split('\n').flatMap((line) => {
      const [, pid, parent, commandLine] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return commandLine === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), commandLine }];
    });
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const [stat, commandLine] = await Promise.all([
        readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      ]);
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return commandLine === ''
        ? []
        : [{ pid: Number(pid), parent, commandLine: commandLine.replaceAll('\0', ' ') }];
    }),
  );
  return entries.flat();
}
