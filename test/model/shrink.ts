import type { Lane } from './lane.ts';
import type { History, Start } from './operations.ts';
import { play, type Planting, type Played } from './player.ts';

const MAX_REPLAYS = 60;
/** What a start is made of if that makes no difference. */
const PLAIN: Partial<Start>[] = [
  { coupon: null },
  { vat: false },
  { seats: 1 },
  { licenses: 0 },
  { card: 'pays' },
  { at: '01-01T00:00:00' },
];

/**
 * The shortest history to be found that still fails in the same property: without each step that it can do without. Stops
 * where it is once `isOn` says no.
 */
export async function shrink(
  lane: Lane,
  history: History,
  played: Played,
  isOn: () => boolean,
  plant?: Planting,
): Promise<{ history: History; played: Played }> {
  let best = { history, played };
  let replays = 0;
  for (let isShorter = true; isShorter && replays < MAX_REPLAYS;) {
    isShorter = false;
    for (const candidate of simplerThan(best.history)) {
      if ((replays += 1) > MAX_REPLAYS || !isOn()) break;
      const again = await play(lane, candidate, plant);
      if (again.findings[0]?.property !== played.findings[0]!.property) continue;
      best = { history: candidate, played: again };
      isShorter = true;
      break;
    }
  }
  return best;
}

function* simplerThan({ start, operations }: History): Generator<History> {
  for (let index = operations.length - 1; index >= 0; index--)
    yield { start, operations: operations.toSpliced(index, 1) };
  for (const plain of PLAIN) {
    const simpler = { ...start, ...plain };
    if (JSON.stringify(simpler) !== JSON.stringify(start)) yield { start: simpler, operations };
  }
}
