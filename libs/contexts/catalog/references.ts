import { Conflict } from '#libs/kernel/core';
import type { AggregateStore } from '#libs/kernel/event-store';

/*
 * Prices name metrics, and plans name prices, across streams that cannot be written together. So that nothing ever
 * names what has been deleted:
 *
 * 1. Who is about to name a thing first leaves a reference on the thing's stream: its own id, and the revision that
 *    its own stream will have by the change. A thing that has been deleted takes none.
 * 2. The change is then made only if it does lead to that revision; else it starts again.
 * 3. Who deletes a thing looks at everyone who left a reference. A change that is still on its way (or whose
 *    process died) is overtaken by an event on its stream, which moves the revision. Then nobody can come to use the
 *    thing without a new reference, and the deletion is refused if one was left meanwhile.
 */

/** Who named a thing, or was about to: by id, the revision of their stream with the latest change that names it. */
export type References = Readonly<Record<string, number>>;

/** With one more reference; the same object if it is known already. */
export function withReference(references: References, id: string, revision: number): References {
  return (references[id] ?? 0) >= revision ? references : { ...references, [id]: revision };
}

/** Whether every reference was looked at: none came after `settled` was taken. */
export function areSettled(references: References, settled: References): boolean {
  return Object.entries(references).every(([id, revision]) => (settled[id] ?? 0) >= revision);
}

/** The change was decided on a revision that is not the latest any more. */
class Overtaken extends Conflict {
  constructor() {
    super('concurrent_modification', 'Others keep changing this at the same moment; try again');
  }
}

/** Refuses a change that would not lead to the revision it left references for. */
export function requireRevision(actual: number, expected: number): void {
  if (actual !== expected) throw new Overtaken();
}

/** A change appends to a few streams, one after the other. */
const AFTER_OVERTAKEN = { firstMillis: 4, maxMillis: 128 };

/**
 * Makes a change of one aggregate that leaves references first, and makes it again as long as it is overtaken, for a bounded time.
 * Such changes take turns within the process.
 */
export async function untilNotOvertaken<T>(
  aggregates: AggregateStore,
  decider: { category: string },
  id: string,
  change: () => Promise<T>,
): Promise<T> {
  return aggregates.inTurn(decider, id, async (patience) => {
    for (;;) {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof Overtaken) || patience.isOver) throw error;
        await patience.wait(AFTER_OVERTAKEN);
      }
    }
  });
}
