// The memory of each process after all the others have run, and after as much more of an even load: what it takes of the
// machine, and what of that lives on when its garbage is collected. The first goes up and down as V8 likes; the second must
// not grow by more than a cache that fills.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processesOf } from './processes.mjs';

const samplesKept = 60;
/** What lives on at two looks at the same steady process can differ by: caches fill, code is compiled. */
const tolerance = 1.15;
const bytesPerMebibyte = 1024 * 1024;
const millisToCollect = 30_000;

export async function benchMemory(stack, { memorySeconds }) {
  const processes = await processesOf(stack.pid);
  const before = await residentOf(processes);
  const load = startLoad(stack);
  const { firstHalf, halfWay, secondHalf, end } = await watched(processes, memorySeconds, stack).finally(
    load.stop,
  );
  const { writes, slowestMillis } = await load.done;
  return [...processes.keys()].map((name) => {
    const resident = [...firstHalf, ...secondHalf].map((sample) => Math.round(sample.get(name)));
    const ratio = end.get(name) / halfWay.get(name);
    return {
      name: `memory of ${name}, and what lives on, ${memorySeconds} s later`,
      value: Math.round(before.get(name)),
      unit: 'MiB',
      baseline: { name: 'what lives on half-way', value: Math.round(halfWay.get(name)) },
      ratio,
      required: `ratio <= ${tolerance}`,
      passed: ratio <= tolerance,
      livesMebibytes: Math.round(end.get(name)),
      mostMebibytes: Math.max(...resident),
      load: { writes, slowestMillis },
      resident,
    };
  });
}

/** What the processes take, and from half-way on, when what is read and compiled once is, what lives on in them. */
async function watched(processes, seconds, { livesFolder }) {
  const firstHalf = await sampled(processes, seconds / 2);
  const halfWay = await livesOf(processes, livesFolder);
  const secondHalf = await sampled(processes, seconds / 2);
  const end = await livesOf(processes, livesFolder);
  return { firstHalf, halfWay, secondHalf, end };
}

/** A steady load of reads, writes and usage until it is stopped. */
function startLoad({ call, post, customers }) {
  let [writes, sent, slowestMillis, stopping] = [0, 0, 0, false];
  const client = async () => {
    while (!stopping) {
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
  const done = Promise.all(Array.from({ length: 4 }, client)).then(() => ({
    writes,
    slowestMillis: Math.round(slowestMillis),
  }));
  // Told to who asks what came of it, not as a rejection of which nobody hears yet.
  done.catch(() => undefined);
  return { stop: () => void (stopping = true), done };
}

async function sampled(processes, seconds) {
  const samples = [];
  for (let i = 0; i < samplesKept / 2; i++) {
    await delay((seconds * 1_000) / (samplesKept / 2));
    samples.push(await residentOf(processes));
  }
  return samples;
}

/** What of the machine's memory each has, in MiB. */
async function residentOf(processes) {
  const found = new Map();
  for (const [name, pid] of processes) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    if (!kibibytes) throw new Error(`${name} has ended meanwhile`);
    found.set(name, Number(kibibytes) / 1_024);
  }
  return found;
}

/** What of that is left once its garbage is collected, and V8's room for more not counted, in MiB; see lives.mjs. */
async function livesOf(processes, folder) {
  const found = new Map();
  for (const [name, pid] of processes) {
    const file = join(folder, String(pid));
    await rm(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const deadline = performance.now() + millisToCollect;
    let text;
    while ((text = await readFile(file, 'utf8').catch(() => undefined)) === undefined) {
      if (performance.now() > deadline) throw new Error(`${name} did not say what lives on in it`);
      await delay(50);
    }
    found.set(name, JSON.parse(text).lives / bytesPerMebibyte);
  }
  return found;
}
