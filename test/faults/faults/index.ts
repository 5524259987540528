import { setTimeout as pause } from 'node:timers/promises';
import { BAD_MANNERS } from '../load/receivers.ts';
import type { Fault } from './fault.ts';
import { LINK_FAULTS } from './links.ts';
import { PROCESS_FAULTS } from './processes.ts';

export type { Fault, Strike } from './fault.ts';
export { oneOfEverything } from './one-of-everything.ts';

/** Faults of those at the other end: clients that repeat everything, and receivers with bad manners. */
const OUTSIDE_FAULTS: readonly Fault[] = [
  {
    name: 'every request repeated',
    control: 'a usage event stored twice',
    strikes: [async () => pause(8_000)],
    extent: { repeated: 1 },
    hits: ({ traffic }) => traffic.replayed,
  },
  {
    name: 'receivers late, wrong, twice',
    control: 'a delivery that was never attempted',
    // Long enough for those who answer too late, and for the attempts after them.
    strikes: [async () => pause(20_000)],
    manners: BAD_MANNERS,
    hits: ({ receivers }) => receivers.arrivals.filter(({ manner }) => manner !== 'well').length,
  },
];

/** Every fault of a long run. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...LINK_FAULTS, ...OUTSIDE_FAULTS];
