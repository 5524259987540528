import type { System } from '../support/system.ts';
import { verificationOf } from '../support/ledger-verification.ts';
import { Lane } from './lane.ts';
import { historyOf, type History } from './operations.ts';
import { play, type Played, type Planting } from './player.ts';
import type { Finding } from './properties.ts';
import { shrink } from './shrink.ts';

/** A history by its number, and what came of it; `minimal` if it failed and was made shorter. */
export interface Reported {
  readonly number: number;
  readonly history: History;
  readonly played: Played;
  readonly minimal?: { readonly history: History; readonly played: Played };
}

export interface BatchOptions {
  readonly seed: number;
  /** The numbers of the histories. */
  readonly numbers: Iterator<number>;
  /** Workspaces side by side. */
  readonly lanes: number;
  /** Whether a failure is made shorter, and whether there is still time for it. */
  readonly shrinks: (played: Played) => boolean;
  readonly isOn: () => boolean;
  readonly report: (reported: Reported) => void;
  readonly plant?: Planting;
}

/** Plays histories in several workspaces of one system, then runs `ledger verify` over all of it and answers what that found. */
export async function playBatch(system: System, options: BatchOptions): Promise<Finding[]> {
  const playOn = async (): Promise<void> => {
    let lane = await Lane.open(system);
    for (let next = options.numbers.next(); !next.done; next = options.numbers.next()) {
      const number = next.value;
      const history = historyOf(options.seed, number);
      const played = await play(lane, history, options.plant);
      const fails = played.findings.length > 0 && options.shrinks(played);
      const minimal = fails ? await shrink(lane, history, played, options.isOn, options.plant) : undefined;
      // A clock that did not move may not move for the next history either.
      if (played.findings.some(({ property }) => property === 'answer')) lane = await Lane.open(system);
      options.report({ number, history, played, ...(minimal ? { minimal } : {}) });
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, playOn));
  const { found } = await verificationOf(system);
  return found.map((problem) => ({ property: 'ledger', problem, expected: 'clean', actual: problem }));
}
