// A process of `npm run model`: plays histories on a system of its own until its time is over.
import { startSystem } from '../support/system.ts';
import { playBatch, type Reported } from './batch.ts';
import { CONTROLS, missedControls } from './controls.ts';
import { Lane } from './lane.ts';
import type { Finding } from './properties.ts';
import { Tally } from './tally.ts';

export interface WorkerOptions {
  readonly seed: number;
  readonly first: number;
  readonly step: number;
  readonly minutes: number;
  readonly histories: number;
  readonly lanes: number;
  readonly shrink: boolean;
}

/** What a worker tells its parent. */
export type WorkerMessage =
  | { readonly type: 'played'; readonly reported: Reported }
  | { readonly type: 'ledger'; readonly findings: readonly Finding[] }
  /** A defect was planted; those that were not found. */
  | { readonly type: 'control'; readonly missed: readonly string[] };

/** A log of more histories takes `ledger verify` longer than it is worth. */
const BATCH = 200;

const options = JSON.parse(process.argv[2]!) as WorkerOptions;
const deadline = performance.now() + options.minutes * 60_000;
const tally = new Tally();
const tell = (message: WorkerMessage): void => void process.send!(message);
process.once('disconnect', () => process.exit(1));
let next = options.first;
let count = 0;
// Each worker plants another defect first.
let batches = options.first * 5;

function* numbers(): Generator<number> {
  for (let left = BATCH; left > 0 && isOn(); left--) {
    yield next;
    next += options.step;
    count += 1;
  }
}

function isOn(): boolean {
  return performance.now() < deadline && count < options.histories;
}

while (isOn()) {
  const system = await startSystem();
  const findings = await playBatch(system, {
    seed: options.seed,
    numbers: numbers(),
    lanes: options.lanes,
    shrinks: (played) => options.shrink && tally.isRare(played),
    isOn: () => performance.now() < deadline,
    report: (reported) => {
      tally.add(reported);
      tell({ type: 'played', reported });
    },
  });
  tell({ type: 'ledger', findings });
  const names = Object.keys(CONTROLS);
  const control = names[batches++ % names.length]!;
  tell({ type: 'control', missed: await missedControls(await Lane.open(system), [control]) });
  await system.stop();
}
process.exit(0);
