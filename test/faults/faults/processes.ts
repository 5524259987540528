import { isEmbedded } from '../../support/store-process.ts';
import type { Member } from '../fleet/member.ts';
import type { World } from '../world.ts';
import type { Random } from '../load/random.ts';
import type { Fault, Strike } from './fault.ts';

const TIMES = 3;

/** One of the APIs: they are alike. */
export const anApi = async ({ fleet }: World, random: Random): Promise<Member> =>
  random.pick(fleet.membersOf('api'));

/** The one that is at work: to kill one that waits would be no loss. */
export const theOneAtWork =
  (kind: 'projector' | 'saga') =>
  async ({ fleet }: World): Promise<Member> => {
    await fleet.ready();
    return fleet.atWork(kind);
  };

/** The one of this name. */
export const only =
  (name: string) =>
  async ({ fleet }: World): Promise<Member> =>
    fleet.member(name);

/** Which process it is to be. */
type Choice = (world: World, random: Random) => Promise<Member>;

/** Ended with SIGKILL, and started again. */
export const killed =
  (choose: Choice): Strike =>
  async (world, random) => {
    const member = await choose(world, random);
    await member.kill();
    return 1;
  };

/** Asked to end, which it must in good order, and started again. */
export const restarted =
  (choose: Choice): Strike =>
  async (world, random) => {
    const member = await choose(world, random);
    const exit = await member.stop();
    if (exit?.code !== 0)
      throw new Error(`${member.name} was asked to end, and ended with ${JSON.stringify(exit)}`);
    await member.start();
    return 1;
  };

/** The machine pulled from the wall: every process at the same moment. */
const everythingKilled: Strike = async ({ fleet }) => {
  const members = fleet.names.map((name) => fleet.member(name));
  await Promise.all(members.map((member) => member.kill()));
  return members.length;
};

const times = (count: number, strike: Strike): Strike[] => Array.from({ length: count }, () => strike);

/** Processes that end: with `kill -9`, one at a time and all at once, and in good order. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 api',
    control: 'an acknowledged customer that is not there',
    strikes: times(TIMES, killed(anApi)),
  },
  {
    name: 'kill -9 projector',
    control: 'a balance gone from the ledger',
    strikes: times(TIMES, killed(theOneAtWork('projector'))),
  },
  {
    name: 'kill -9 saga',
    control: 'an invoice made twice',
    strikes: times(TIMES, killed(theOneAtWork('saga'))),
  },
  {
    name: 'kill -9 event store',
    // Only the embedded node's log can be changed.
    control: isEmbedded ? 'an event gone from the log' : 'an acknowledged customer that is not there',
    strikes: times(TIMES, killed(only('eventstore'))),
  },
  {
    name: 'kill -9 Postgres',
    control: 'a usage event gone from the log',
    strikes: times(TIMES, killed(only('postgres'))),
  },
  {
    name: 'restart Postgres',
    control: 'a task that was given up',
    strikes: times(TIMES, restarted(only('postgres'))),
  },
  {
    name: 'kill -9 everything',
    control: 'an invoice over another amount',
    strikes: [everythingKilled],
  },
  {
    name: 'SIGTERM each in turn',
    control: 'an entry gone from the audit trail',
    strikes: [
      restarted(anApi),
      restarted(theOneAtWork('projector')),
      restarted(theOneAtWork('saga')),
      restarted(only('eventstore')),
    ],
  },
];
