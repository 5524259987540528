import type { Instant } from '#libs/kernel/core';
import type { DomainEvent } from '#libs/kernel/domain';
import type { UnmatchedUsage } from '#libs/usage';

/**
 * The usage of a workspace that was stored but is not counted, or not charged. The usage was received from `since` to `until`, by the
 * machine's clock.
 */
export interface UnmatchedUsageReport extends UnmatchedUsage {
  /**
   * The instant at which the first event of the report was received. No two reports of a workspace have the same `since`, so
   * `since` identifies a report.
   */
  readonly since: Instant;
  readonly until: Instant;
}

/** `at` is also by the machine's clock, because the clock of a sandbox can stand still, or be moved by a year at once. */
export type UsageReportEvent<Type extends string> = DomainEvent<Type, UnmatchedUsageReport & { at: Instant }>;

export type UnmatchedUsageReportEvent =
  | UsageReportEvent<'UnmatchedUsageReported'>
  /** The usage is counted by metrics, and no price charges it. */
  | UsageReportEvent<'UnpricedUsageReported'>;
