import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { UnmatchedUsage } from '#libs/usage';

/** Usage of a workspace that was stored and is not counted, as it was taken in from `since` to `until` by the machine's clock. */
export interface UnmatchedReport extends UnmatchedUsage {
  /** When the first of it was taken in: no two reports have the same. */
  readonly since: Instant;
  readonly until: Instant;
}

export type UnmatchedUsageEvent =
  /** `at` is by the machine's clock too: a sandbox's can stand still, or move a year in a moment. */
  DomainEvent<'UnmatchedUsageReported', UnmatchedReport & { at: Instant }>;

export const unmatchedUsageEvents: EventCatalog<UnmatchedUsageEvent> = { UnmatchedUsageReported: v1 };
