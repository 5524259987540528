import { Conflict } from '#libs/kernel/core';
import type { AggregateStore } from '#libs/kernel/event-store';

/*
 * Prices name metrics, and plans name prices. Each metric, price and plan has its own stream, and two streams cannot be written together.
 * A deleted price keeps its metric. The features of plans name metrics without a reference, so they can name a deleted metric. The following
 * steps make sure that no other price names a deleted metric, and that no published version or draft of a plan names a deleted price:
 *
 * - Before a price or plan names a resource, a reference is written on the stream of the resource. The reference has the id of the price or
 *   plan, and the revision that the stream of the price or plan will have after the change. A deleted resource refuses references.
 * - The change is made only if it leads to that revision. Otherwise it starts again.
 * - The deletion of a resource checks each price or plan to which the resource has a reference. A change can still be pending, or its
 *   process can have died. The deletion then appends `PriceChangeOvertaken` or `PlanChangeOvertaken` to the stream of the price or plan.
 *   "Overtaken" means: another event was stored before the change. It increases the revision, so the pending change fails. From then on
 *   nothing can name the resource without a new reference. If a new reference was written meanwhile, the deletion is refused.
 */

/**
 * The ids of the prices or plans that name or once named a resource, or that began a change to name it. The value for each id is the
 * revision of that price or plan after its latest change that names the resource, even if that change was begun and never made.
 */
export type References = Readonly<Record<string, number>>;

/** Adds a reference. If `references` already has the reference, the same object is returned. */
export function withReference(references: References, id: string, revision: number): References {
  return (references[id] ?? 0) >= revision ? references : { ...references, [id]: revision };
}

/** Tells whether every reference is in `checkedReferences`. If so, no reference was added after `checkedReferences` was read. */
export function areAllChecked(references: References, checkedReferences: References): boolean {
  return Object.entries(references).every(([id, revision]) => (checkedReferences[id] ?? 0) >= revision);
}

/**
 * The error of a change that is based on an old revision of a stream. The revision is old because another event was stored on the stream
 * first.
 */
class RevisionChanged extends Conflict {
  constructor() {
    super('concurrent_modification', 'Other requests change the same resource at this moment; try again');
  }
}

/** Refuses a change if the stream's revision is not the revision that the change expects. */
export function requireExpectedRevision(actual: number, expected: number): void {
  if (actual !== expected) throw new RevisionChanged();
}

/**
 * A change that failed because of RevisionChanged is tried again after these pauses. The first pause is about as long as one change takes.
 */
const RETRY_PAUSES = { firstMillis: 4, maxMillis: 128 };

/**
 * Changes a price or plan with the function `change`. This function first writes references on the resources that the price or plan will
 * name. If another event is stored on the stream of the price or plan meanwhile, `change` runs again, for a limited time. Within a process,
 * changes of the same price or plan run one after the other.
 */
export async function retryOnRevisionChange<T>(
  aggregates: AggregateStore,
  decider: { category: string },
  id: string,
  change: () => Promise<T>,
): Promise<T> {
  return aggregates.runInTurn(decider, id, async (patience) => {
    for (;;) {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof RevisionChanged) || patience.isOver) throw error;
        await patience.wait(RETRY_PAUSES);
      }
    }
  });
}
