import { setTimeout as pause } from 'node:timers/promises';
import type { SmallDisk } from '../../support/small-disk.ts';
import type { Manner } from '../load/receivers.ts';
import type { Fault, Strike } from './fault.ts';
import { fillDisk } from './full-disk.ts';
import { areLinked, LINKED, mishap, type Pair } from './links.ts';
import { anApi, killed, only, theOneAtWork } from './processes.ts';

/** Long enough for what runs to meet with it, in a run that is to be short. */
const MOMENT_MILLIS = 300;
/** Between two mishaps while a process is down or starts again. */
const BETWEEN_MILLIS = 100;
/** Whom every acknowledged write goes through: what is lost between them was done all the same. */
const WRITE_PATH = (
  [
    ['client', 'api'],
    ['api', 'eventstore'],
    ['api', 'postgres'],
    ['eventstore', 'postgres'],
  ] satisfies Pair[]
).filter(areLinked);
/** All but those who take their time to be wrong. */
const QUICK_MANNERS: readonly Manner[] = ['late', 'error', 'redirect', 'hangs up', 'garbage', 'twice'];

/**
 * Every kind of fault once, in as little time as it takes: what `npm test` plays. Links fail while a process that was
 * killed starts again, which takes longest. Without what ends processes in good order, for which other tests are there.
 *
 * @param disk where the database is, if it can be filled
 */
export function oneOfEverything(disk: SmallDisk | undefined): Fault {
  return {
    name: 'one of everything',
    control: 'an acknowledged customer that is not there',
    manners: QUICK_MANNERS,
    strikes: [
      inTurn(killed(anApi), ...LINKED.map((pair) => mishap('cut', [pair]))),
      inTurn(
        killed(theOneAtWork('projector')),
        ...WRITE_PATH.map((pair) => mishap('answers lost', [pair], MOMENT_MILLIS)),
      ),
      inTurn(killed(theOneAtWork('saga')), mishap('delayed', LINKED, MOMENT_MILLIS)),
      killed(only('eventstore')),
      ...(disk ? [fillDisk(disk)] : []),
      mishap('held', WRITE_PATH, MOMENT_MILLIS),
      killed(only('postgres')),
    ],
  };
}

/** Strikes one after the other, without waiting for what they hit to run again. */
function inTurn(...strikes: readonly Strike[]): Strike {
  return async (world, random) => {
    let sum = 0;
    for (const [index, strike] of strikes.entries()) {
      const hit = await strike(world, random);
      if (hit === 0) throw new Error(`Part ${index + 1} of it hit nothing, so it has shown nothing`);
      sum += hit ?? 0;
      await pause(BETWEEN_MILLIS);
    }
    return sum;
  };
}
