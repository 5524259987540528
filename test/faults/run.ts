// `npm run faults`: plays faults under load and prints what came of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomToken } from '#libs/core';
import { FAULTS, type Fault } from './faults/index.ts';
import { Random } from './load/random.ts';
import type { Extent } from './load/story.ts';
import { playRound, type Report } from './round.ts';
import { isClean, line, summary, table } from './table.ts';
import { World } from './world.ts';

const WORKSPACES = 3;
const EXTENT: Extent = { newcomers: [2, 4], usage: [2, 6], repeated: 0.15 };

const USAGE = `npm run faults [-- options]

  --minutes N   begin no new round after so many minutes (default 10)
  --seed S      what is drawn: the load, the order of the faults and when they strike (default: a new one)
  --only NAME   only faults whose name contains this; may be given more than once
  --copies N    processes of each kind side by side (default 2)
  --list        the faults, and nothing else
`;

process.exitCode = await main(process.argv.slice(2));

/** Plays faults under load, one after the other, and prints what came of them. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values: options } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: randomToken(4) },
      only: { type: 'string', multiple: true, default: [] },
      copies: { type: 'string', default: '2' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) return print(USAGE, 0);
  const chosen = FAULTS.filter(({ name }) => options.only.every((part) => name.includes(part)));
  if (options.list) return print(chosen.map(({ name }) => `${name}\n`).join(''), 0);
  const [minutes, copies] = [Number(options.minutes), Number(options.copies)];
  if (chosen.length === 0 || !(minutes > 0) || !Number.isInteger(copies) || copies < 1)
    return print(USAGE, 1);

  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  print(`seed ${options.seed}, ${copies} processes of each kind, ${minutes} minutes\n\n`);
  const random = new Random(options.seed);
  const world = await World.begin({ folder, copies }, random);
  let reports: Report[];
  try {
    reports = await play(world, chosen, random, minutes * 60_000);
  } finally {
    await world.end();
  }
  print(
    `\n${table(
      reports,
      chosen.map(({ name }) => name),
    )}\n${summary(reports, options.seed)}\n`,
  );
  const clean = reports.every(isClean);
  if (clean) await rm(folder, { recursive: true, force: true });
  else print(`The journal and the logs are in ${folder}\n`);
  return clean ? 0 : 1;
}

/** One round after the other until the time is over; every fault in turn, in an order that the seed draws anew. */
async function play(
  world: World,
  faults: readonly Fault[],
  random: Random,
  millis: number,
): Promise<Report[]> {
  const deadline = performance.now() + millis;
  const reports: Report[] = [];
  for (let cycle = 1; ; cycle++)
    for (const fault of random.of(`order ${cycle}`).shuffled(faults)) {
      if (performance.now() > deadline) return reports;
      const name = `r${reports.length + 1}`;
      const chance = random.of(`${fault.name} ${cycle}`);
      const report = await playRound(world, name, fault, chance, {
        workspaces: WORKSPACES,
        extent: EXTENT,
        controls: [fault.control],
      });
      reports.push(report);
      print(`${line(report)}\n`);
    }
}

function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}
