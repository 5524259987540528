import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { UnmatchedUsage } from '#libs/usage';

/**
 * The usage of a workspace that was stored but is not counted. The uncounted usage was received from `since` to `until`, by
 * the machine's clock.
 */
export interface UnmatchedUsageReport extends UnmatchedUsage {
  /**
   * The instant at which the first uncounted event of the report was received. No two reports of a workspace have the same `since`, so
   * `since` identifies a report.
   */
  readonly since: Instant;
  readonly until: Instant;
}

export type UnmatchedUsageReportEvent =
  /** `at` is also by the machine's clock, because the clock of a sandbox can stand still, or be moved by a year at once. */
  DomainEvent<'UnmatchedUsageReported', UnmatchedUsageReport & { at: Instant }>;

export const unmatchedUsageReportEvents: EventCatalog<UnmatchedUsageReportEvent> = {
  UnmatchedUsageReported: v1,
};
