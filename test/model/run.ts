// `npm run model`: plays random histories of subscriptions against the product, and holds each against the model.
import { fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findFreePort, startEmbeddedPostgres } from '#apps/cli';
import { startSystem } from '../support/system.ts';
import { Lane } from './lane.ts';
import { historyOf, type History } from './operations.ts';
import { play } from './player.ts';
import { describe, Tally } from './tally.ts';
import type { WorkerMessage, WorkerOptions } from './worker.ts';

const PROGRESS_MILLIS = 15_000;

const USAGE = `npm run model [-- options]

  --minutes N     play so long (default 10)
  --histories N   play so many histories at most
  --seed N        what is drawn (default: a new one)
  --processes N   systems side by side, each a process (default 2)
  --lanes N       workspaces side by side in each (default 5)
  --no-shrink     leave failures as long as they are
  --history N     plays the one history of this number and seed
  --replay JSON   plays the one history that is given
`;

/** Plays histories for a while and prints what was found. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const options = optionsIn(args);
  if (typeof options === 'string') return print(`${options}\n\n${USAGE}`, 1);
  if (options.help) return print(USAGE, 0);
  const seed = Number(options.seed);
  const numbers = [options.minutes, options.histories, options.processes, options.lanes].map(Number);
  if (!Number.isInteger(seed) || numbers.some((number) => !(number > 0))) return print(USAGE, 1);
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    port: await findFreePort(),
    password: 'model',
    settings: ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=300'],
  });
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  process.env['TEST_RUN_ID'] = randomBytes(6).toString('hex');
  try {
    if (options.replay !== undefined) return await replay(JSON.parse(options.replay) as History);
    if (options.history !== undefined) return await replay(historyOf(seed, Number(options.history)));
    return await playAll(seed, options);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function playAll(
  seed: number,
  options: { minutes: string; histories: string; processes: string; lanes: string; 'no-shrink': boolean },
): Promise<number> {
  const processes = Number(options.processes);
  print(`seed ${seed}, ${processes} processes with ${options.lanes} workspaces each\n\n`, 0);
  const tally = new Tally();
  const began = performance.now();
  const rate = (): string => (tally.histories / ((performance.now() - began) / 1_000)).toFixed(2);
  const progress = (): string =>
    `${((performance.now() - began) / 60_000).toFixed(1)} min: ${tally.histories} histories (${rate()} a second), ` +
    `${tally.invoices} invoices, ${tally.failures} with findings\n`;
  const heard = (message: WorkerMessage): void => {
    switch (message.type) {
      case 'ledger':
        tally.ledger.push(...message.findings);
        for (const { problem } of message.findings) print(`ledger verify: ${problem}\n`, 0);
        return;
      case 'control':
        tally.controls += 1;
        tally.missed.push(...message.missed);
        for (const missed of message.missed) print(`control: ${missed}\n`, 0);
        return;
      case 'played':
        tally.add(message.reported);
        if (message.reported.minimal) print(`${describe(message.reported)}\n\n`, 0);
    }
  };
  const timer = setInterval(() => print(progress(), 0), PROGRESS_MILLIS);
  const workers = Array.from({ length: processes }, (_, first) => {
    const worker: WorkerOptions = {
      seed,
      first,
      step: processes,
      minutes: Number(options.minutes),
      histories: Math.ceil(Number(options.histories) / processes),
      lanes: Number(options.lanes),
      shrink: !options['no-shrink'],
    };
    const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(worker)]);
    child.on('message', (message) => heard(message as WorkerMessage));
    return child;
  });
  const codes = await Promise.all(
    workers.map(async (worker) => ((await once(worker, 'exit')) as [number])[0]),
  );
  clearInterval(timer);
  print(`\n${tally.table}\n\n`, 0);
  for (const found of tally.found) print(`${found}\n\n`, 0);
  print(`seed ${seed}: ${progress()}`, 0);
  print(
    `${tally.ledger.length} findings of ledger verify; ${tally.controls} planted defects, ${tally.missed.length} not found\n`,
    0,
  );
  return codes.every((code) => code === 0) && tally.isClean ? 0 : 1;
}

async function replay(history: History): Promise<number> {
  const system = await startSystem();
  const played = await play(await Lane.open(system), history);
  await system.stop();
  print(`${describe({ number: 0, history, played })}\n`, 0);
  return played.findings.length === 0 ? 0 : 1;
}

/** The options, or what is wrong with them. */
function optionsIn(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string', default: '10' },
        histories: { type: 'string', default: '1000000' },
        seed: { type: 'string', default: String(randomInt(1_000_000)) },
        processes: { type: 'string', default: '2' },
        lanes: { type: 'string', default: '5' },
        'no-shrink': { type: 'boolean', default: false },
        history: { type: 'string' },
        replay: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return (error as Error).message;
  }
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

process.exit(await main(process.argv.slice(2)));
