import { setTimeout as pause } from 'node:timers/promises';
import { isEmbedded } from '../../support/store-process.ts';
import type { ControlName } from '../checks/controls.ts';
import type { Link } from '../fleet/link.ts';
import type { Random } from '../load/random.ts';
import type { World } from '../world.ts';
import type { Fault, Strike } from './fault.ts';

/** What goes wrong on a link lasts this long, where it lasts. */
const WHILE_MILLIS = 2_000;
const ANSWERS_TO_LOSE = 2;
/** How long it is waited for somebody to hit. */
const SOMEBODY_MILLIS = 120_000;
/** Each way; a request crosses several links many times. */
const DELAY_MILLIS = [5, 40] as const;

/** All links of this kind: those of both APIs to Postgres, for example. */
function linksBetween({ fleet }: World, [from, to]: Pair): Link[] {
  const pattern = new RegExp(`^${from}(-\\d+)? → ${to}(-\\d+)?$`);
  const found = [...fleet.links.values()].filter(({ name }) => pattern.test(name));
  if (found.length === 0) throw new Error(`There is no link from ${from} to ${to}`);
  return found;
}

const total = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** What happens on links, all at once; it lasts for `millis`. Answers how many connections, answers or links it hit. */
const MISHAPS = {
  cut: async (links) => {
    // Some are opened for one request and closed at once.
    await Promise.race([
      ...links.map((link) => link.inUse()),
      pause(SOMEBODY_MILLIS, undefined, { ref: false }),
    ]);
    return total(links.map((link) => link.cut()));
  },
  'answers lost': async (links, millis) => {
    const lost = (): number => total(links.map(({ lostAnswers }) => lostAnswers));
    const before = lost();
    const deadline = performance.now() + SOMEBODY_MILLIS;
    for (const link of links) link.loseAnswers(ANSWERS_TO_LOSE);
    // What is asked for often has lost its answers at once; a projector may have nothing to ask for a while.
    do await pause(millis);
    while (lost() === before && performance.now() < deadline);
    for (const link of links) link.heal();
    return lost() - before;
  },
  delayed: async (links, millis, random) => {
    for (const link of links) link.delay(random.int(...DELAY_MILLIS));
    await pause(millis);
    for (const link of links) link.heal();
    return links.length;
  },
  held: async (links, millis) => {
    for (const link of links) link.hold();
    await pause(millis);
    for (const link of links) link.heal();
    return links.length;
  },
  'held and cut': async (links, millis) => {
    for (const link of links) link.hold();
    await pause(millis);
    const connections = total(links.map((link) => link.cut()));
    for (const link of links) link.heal();
    return connections;
  },
} as const satisfies Record<string, (links: Link[], millis: number, random: Random) => Promise<number>>;

export type Mishap = keyof typeof MISHAPS;

/** A mishap on all links between these kinds of process at once. */
export function mishap(kind: Mishap, pairs: readonly Pair[], millis = WHILE_MILLIS): Strike {
  return async (world, random) => {
    const links = pairs.flatMap((pair) => linksBetween(world, pair));
    return MISHAPS[kind](links, millis, random);
  };
}

/** Who talks to whom. */
export type Pair = readonly [from: string, to: string];

/** Everybody who could, and the defect that a mishap between them must not leave behind. */
const ALL_PAIRS: readonly (readonly [...Pair, ControlName])[] = [
  ['client', 'api', 'a key that was answered in two ways'],
  ['api', 'postgres', 'a usage event stored twice'],
  ['api', 'eventstore', 'a customer made twice'],
  ['projector', 'postgres', 'a ledger entry made twice'],
  ['projector', 'eventstore', 'a read model unlike its events'],
  ['saga', 'postgres', 'a card charged twice'],
  ['saga', 'eventstore', 'an invoice made twice'],
  ['eventstore', 'postgres', 'an acknowledged customer that is not there'],
  ['saga', 'receivers', 'a delivery made twice'],
];

/** Whether two of the fleet's processes talk: only the embedded node uses Postgres. */
export const areLinked = ([from, to]: readonly string[]): boolean =>
  isEmbedded || from !== 'eventstore' || to !== 'postgres';

const PAIRS = ALL_PAIRS.filter(areLinked);

export const LINKED: readonly Pair[] = PAIRS.map(([from, to]) => [from, to]);

/** Everything that can happen between two processes. */
export const LINK_FAULTS: readonly Fault[] = PAIRS.map(([from, to, control]) => ({
  name: `link ${from} → ${to}`,
  control,
  strikes: (Object.keys(MISHAPS) as Mishap[]).map((kind) => mishap(kind, [[from, to]])),
}));
