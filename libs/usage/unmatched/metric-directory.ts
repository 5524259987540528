import type { CountingRule } from './event-counter.js';

/** The metrics in force of a workspace, by their event name. */
export type CountingRules = ReadonlyMap<string, readonly CountingRule[]>;

/**
 * Looks up the metrics of a workspace. The application provides the implementation, because the usage library does not depend on the
 * catalog.
 */
export abstract class MetricDirectory {
  /** It is called for every request with usage, so it should usually return from memory. */
  abstract countingRulesOf(workspaceId: string): Promise<CountingRules>;
}
