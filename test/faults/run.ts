// `npm run faults`: plays faults under load and prints what came of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomToken } from '#libs/kernel/system';
import { FULL_DISK, FULL_DISK_CONTROL } from './faults/full-disk.ts';
import { FAULTS, type Fault } from './faults/index.ts';
import { playFullDisk } from './full-disk.ts';
import { PLANTABLE, type ControlName } from './checks/controls.ts';
import { Random } from './load/random.ts';
import type { Extent } from './load/sending.ts';
import { playRound, type Report, type RoundOptions } from './round.ts';
import { asJson, isClean, line, summary, table } from './table.ts';
import { World, type WorldOptions } from './world.ts';

const WORKSPACES = 3;
const EXTENT: Extent = { newcomers: [2, 4], usage: [2, 6], repeated: 0.15 };

const USAGE = `npm run faults [-- options]

  --minutes N   begin no new round after so many minutes (default 10)
  --seed S      what is drawn: the load, the order of the faults and when they strike (default: a new one)
  --only NAME   only faults whose name contains this; may be given more than once
  --copies N    processes of each kind side by side (default 2)
  --json        what came of each round and of all, as JSON; what is told meanwhile goes to standard error
  --controls    plant every defect after each round, not only one of the kind of its fault
  --list        the faults, and nothing else
`;

/** Plays faults under load, one after the other, and prints what came of them. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const options = optionsIn(args);
  if (typeof options === 'string') return print(`${options}\n\n${USAGE}`, 1);
  if (options.help) return print(USAGE, 0);
  const isChosen = (name: string): boolean =>
    options.only.length === 0 || options.only.some((part) => name.includes(part));
  const chosen = FAULTS.filter(({ name }) => isChosen(name));
  const names = [...chosen.map(({ name }) => name), ...[FULL_DISK].filter(isChosen)];
  if (options.list) return print(names.map((name) => `${name}\n`).join(''), 0);
  const [minutes, copies] = [Number(options.minutes), Number(options.copies)];
  if (names.length === 0 || !(minutes > 0) || !Number.isInteger(copies) || copies < 1) return print(USAGE, 1);

  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  const tell = (text: string): void => void (options.json ? process.stderr : process.stdout).write(text);
  tell(`seed ${options.seed}, ${copies} processes of each kind, ${minutes} minutes\n\n`);
  const random = new Random(options.seed);
  const controlsOf: ControlsOf = (own) => (options.controls ? PLANTABLE : [own]);
  const reports: Report[] = [];
  const note = (report: Report): void => {
    reports.push(report);
    tell(`${line(report)}\n`);
  };
  let failure: Error | undefined;
  try {
    if (chosen.length > 0)
      await play({ folder: join(folder, 'main'), copies }, chosen, random, minutes, controlsOf, note);
    if (names.includes(FULL_DISK)) await playLast(join(folder, 'small'), random, controlsOf, note, tell);
  } catch (error) {
    // What came of the rounds before is worth seeing all the same.
    failure = error as Error;
  }

  tell(`\n${table(reports, names)}\n\n${summary(reports, options.seed)}\n`);
  if (options.json) print(`${asJson(reports, options.seed)}\n`, 0);
  const clean = !failure && reports.length > 0 && reports.every(isClean);
  if (clean) await rm(folder, { recursive: true, force: true });
  else tell(`The journal and the logs are in ${folder}\n`);
  if (failure) throw failure;
  return clean ? 0 : 1;
}

/** The defects to plant after a fault with this one of its kind. */
type ControlsOf = (own: ControlName) => readonly ControlName[];

/** One round after the other until the time is over; every fault in turn, in an order that the seed draws anew. */
async function play(
  fleet: WorldOptions,
  faults: readonly Fault[],
  random: Random,
  minutes: number,
  controlsOf: ControlsOf,
  note: (report: Report) => void,
): Promise<void> {
  const world = await World.begin(fleet, random);
  try {
    const deadline = performance.now() + minutes * 60_000;
    // Asked to end, it plays the round in hand to its end.
    let isAsked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isAsked = true));
    for (let round = 1, cycle = 1; ; cycle++)
      for (const fault of random.of(`order ${cycle}`).shuffled(faults)) {
        if (isAsked || performance.now() > deadline) return;
        const chance = random.of(`${fault.name} ${cycle}`);
        note(await playRound(world, `r${round++}`, fault, chance, optionsOf(controlsOf(fault.control))));
      }
  } finally {
    await world.end();
  }
}

/** The round that needs a small disk, where there can be one. */
async function playLast(
  folder: string,
  random: Random,
  controlsOf: ControlsOf,
  note: (report: Report) => void,
  tell: (text: string) => void,
): Promise<void> {
  const chance = random.of(FULL_DISK);
  const report = await playFullDisk(folder, chance, optionsOf(controlsOf(FULL_DISK_CONTROL)), (why) =>
    tell(`SKIPPED: ${FULL_DISK}, since ${why}\n`),
  );
  if (report) note(report);
}

/** @param controls the defects that are planted afterwards */
const optionsOf = (controls: readonly ControlName[]): RoundOptions => ({
  workspaces: WORKSPACES,
  extent: EXTENT,
  controls,
});

/** The options, or what is wrong with them. */
function optionsIn(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string', default: randomToken(4) },
        only: { type: 'string', multiple: true, default: [] },
        copies: { type: 'string', default: '2' },
        json: { type: 'boolean', default: false },
        controls: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
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

// Not by itself: with connections that were cut, Node may wait for ever for one of them to be closed.
process.exit(await main(process.argv.slice(2)));
