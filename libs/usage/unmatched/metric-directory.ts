import type { EventCounter } from './event-counter.js';

/** The metrics in force of a workspace, by the event name that they have. */
export type EventCounters = ReadonlyMap<string, readonly EventCounter[]>;

/** Looks up the metrics of a workspace. Bound by the application, since usage knows nothing of the catalog. */
export abstract class MetricDirectory {
  /** Asked for every request of usage, so it answers from memory as a rule. */
  abstract countersOf(workspaceId: string): Promise<EventCounters>;
}
