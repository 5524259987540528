import type { ControlName } from '../checks/controls.ts';
import type { Manner } from '../load/receivers.ts';
import type { Random } from '../load/random.ts';
import type { Extent } from '../load/sending.ts';
import type { World } from '../world.ts';

/** Something that goes wrong while the load runs. */
export interface Fault {
  /** As the table shows it. */
  name: string;
  /** A defect of the kind that this fault must not leave behind, planted after it to see that it would be found. */
  control: ControlName;
  /**
   * What happens, one strike after the other: the next when every process runs again. Each resolves when it is over and
   * says how much it has hit: connections, answers, processes.
   */
  strikes: readonly Strike[];
  /** What is different about the load. */
  extent?: Partial<Extent>;
  /** The manners of the receiver that behaves badly, in place of good ones. */
  manners?: readonly Manner[];
  /** How much of it there was, where the load itself is the fault. */
  hits?: (world: World) => number;
}

/** Answers nothing where the load itself is the fault, and `hits` says how much there was. */
export type Strike = (world: World, random: Random) => Promise<number | void>;
