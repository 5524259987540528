import type { Manner } from '../load/receivers.ts';
import type { Fault } from './fault.ts';
import { LINKED, mishap, type Pair } from './links.ts';
import { anApi, killed, only, theOneAtWork } from './processes.ts';

/** Long enough for what runs to meet with it, in a run that is to be short. */
const MOMENT_MILLIS = 300;
/** Whom every acknowledged write goes through: what is lost between them was done all the same. */
const WRITE_PATH: readonly Pair[] = [
  ['client', 'api'],
  ['api', 'eventstore'],
  ['api', 'postgres'],
  ['eventstore', 'postgres'],
];
/** All but those who take their time to be wrong. */
const QUICK_MANNERS: readonly Manner[] = ['late', 'error', 'redirect', 'hangs up', 'garbage', 'twice'];

/**
 * Every kind of fault once, in as little time as it takes: what `npm test` plays. Without what ends processes in good
 * order, for which other tests are there.
 */
export const ONE_OF_EVERYTHING: Fault = {
  name: 'one of everything',
  control: 'an acknowledged customer that is not there',
  manners: QUICK_MANNERS,
  strikes: [
    killed(anApi),
    ...LINKED.map((pair) => mishap('cut', [pair])),
    killed(theOneAtWork('projector')),
    ...WRITE_PATH.map((pair) => mishap('answers lost', [pair], MOMENT_MILLIS)),
    killed(theOneAtWork('saga')),
    mishap('delayed', LINKED, MOMENT_MILLIS),
    killed(only('eventstore')),
    mishap('held', WRITE_PATH, MOMENT_MILLIS),
    killed(only('postgres')),
  ],
};
