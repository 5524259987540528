// The memory of each process after all the others have run, and after as much more of an even load.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const samplesKept = 60;
/** What two looks at the same steady process can differ by: V8 collects its garbage when it likes. */
const tolerance = 1.15;

export async function benchMemory(stack, { memorySeconds }) {
  const before = await memoryOf(stack.pid);
  const { samples, ...load } = await underLoad(stack, memorySeconds);
  return Object.entries(before)
    .filter(([name]) => samples.every((sample) => name in sample))
    .map(([name, start]) => {
      // The least of each half is what lives on; its peaks are garbage that waits to be collected.
      const seen = samples.map((sample) => sample[name]);
      const half = Math.floor(seen.length / 2);
      const [first, second] = [Math.min(...seen.slice(0, half)), Math.min(...seen.slice(half))];
      return {
        name: `memory of ${name}, then ${memorySeconds} s of load`,
        value: Math.round(start),
        unit: 'MiB',
        baseline: { name: 'least of the first half of the load', value: Math.round(first) },
        ratio: second / first,
        required: `ratio <= ${tolerance}`,
        passed: second / first <= tolerance,
        load,
      };
    });
}

/** A steady load of reads, writes and usage, and what each process needed meanwhile. */
async function underLoad({ pid, call, post, customers }, seconds) {
  const samples = [];
  let [writes, slowestMillis] = [0, 0];
  const end = performance.now() + seconds * 1_000;
  let sent = 0;
  const client = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      await post('/v1/customers', { name: 'Memory' });
      slowestMillis = Math.max(slowestMillis, performance.now() - started);
      writes += 1;
      await call('GET', '/v1/customers?limit=20');
      const events = Array.from({ length: 20 }, () => ({
        customerId: customers[sent % customers.length],
        eventName: 'llm.memory',
        timestamp: new Date().toISOString(),
        idempotencyKey: `memory-${sent++}`,
        properties: { tokens: 1 },
      }));
      await post('/v1/events', events);
      await delay(20);
    }
  };
  const sample = async () => {
    while (performance.now() < end) {
      await delay((seconds * 1_000) / samplesKept);
      samples.push(await memoryOf(pid));
    }
  };
  await Promise.all([sample(), ...Array.from({ length: 4 }, client)]);
  return { samples, writes, slowestMillis: Math.round(slowestMillis) };
}

/** Resident memory of the supervisor's processes by name, in MiB. */
async function memoryOf(supervisor) {
  const found = {};
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (!new RegExp(`^PPid:\\s+${supervisor}$`, 'm').test(status)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const name = /apps\/(\w+)\/main\.js/.exec(command)?.[1];
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
    if (name && kibibytes > 0) found[name] = kibibytes / 1_024;
  }
  return found;
}
