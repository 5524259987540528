// The processes of the product that is measured, and the processor time that they have used.
import { readdir, readFile } from 'node:fs/promises';

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

/** The processor time of the threads that a process has at the moment, since each started, in ms. */
export async function processorMillis(pid) {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    // A thread can end at any time.
    const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    nanoseconds += Number(stat.split(' ')[0]);
  }
  return nanoseconds / 1e6;
}
