// The processes of the product that is measured, and the processor time that they have used.
import { readdir, readFile } from 'node:fs/promises';

/** The processor time in `/proc/<pid>/stat` is counted in hundredths of a second. */
const MILLIS_PER_TICK = 10;

/** The supervisor's processes: their ids, by name. */
export async function processesOf(supervisor) {
  const found = new Map();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (!new RegExp(`^PPid:\\s+${supervisor}$`, 'm').test(status)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const name = /programs\/([\w-]+)\.js/.exec(command)?.[1];
    if (name) found.set(name, Number(pid));
  }
  return found;
}

/** The processor time of all threads of a process since it started, in ms. */
export async function processorMillis(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MILLIS_PER_TICK;
}
