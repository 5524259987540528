import type { CountingRule } from './counting-rules.js';

/** The rules of a workspace's current metrics, by event name. */
export type CountingRulesByEventName = ReadonlyMap<string, readonly CountingRule[]>;

/**
 * Looks up the rules by which the metrics of a workspace count events. The application implements this class, because the usage library
 * does not depend on the catalog.
 */
export abstract class MetricDirectory {
  /** `countingRulesOf` is called for every request with usage, so it should usually return from memory. */
  abstract countingRulesOf(workspaceId: string): Promise<CountingRulesByEventName>;
}
