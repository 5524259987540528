import { addSeconds, type Instant } from '#libs/kernel/core';
import { defineDecider, v1 } from '#libs/kernel/domain';
import type { UnmatchedUsageReport, UsageReportEvent } from './events.js';

/** The last report of one kind that a workspace received, about uncounted or unpriced usage. */
export interface LastUnmatchedUsageReport {
  /** The field `since` of the report, which identifies the report. */
  since: Instant;
  /** The instant of the report, by the machine's clock. */
  reportedAt: Instant;
}

/**
 * Notifies a workspace of uncounted or unpriced usage. Does nothing if the same usage was already reported, or if a report was sent within the last
 * hour.
 */
export interface ReportUnmatchedUsage {
  readonly type: 'ReportUnmatchedUsage';
  /** The machine's time. */
  readonly at: Instant;
  readonly report: UnmatchedUsageReport;
}

const HOUR_SECONDS = 3_600;

export const unmatchedUsageDecider = defineDecider<
  LastUnmatchedUsageReport,
  ReportUnmatchedUsage,
  UsageReportEvent<'UnmatchedUsageReported'>
>({
  category: 'unmatchedUsage',
  events: { UnmatchedUsageReported: v1 },
  decide: (command, state) =>
    isDue(command, state)
      ? [{ type: 'UnmatchedUsageReported', data: { ...command.report, at: command.at } }]
      : [],
  evolve: (_state, event) => lastReportOf(event.data),
});

/** The reports of unpriced usage have a stream of their own, so that both kinds are reported once an hour. */
export const unpricedUsageDecider = defineDecider<
  LastUnmatchedUsageReport,
  ReportUnmatchedUsage,
  UsageReportEvent<'UnpricedUsageReported'>
>({
  category: 'unpricedUsage',
  events: { UnpricedUsageReported: v1 },
  decide: (command, state) =>
    isDue(command, state)
      ? [{ type: 'UnpricedUsageReported', data: { ...command.report, at: command.at } }]
      : [],
  evolve: (_state, event) => lastReportOf(event.data),
});

/** The earliest instant at which the workspace can be notified again. */
export function nextReportAt({ reportedAt }: LastUnmatchedUsageReport): Instant {
  return addSeconds(reportedAt, HOUR_SECONDS);
}

function isDue({ at, report }: ReportUnmatchedUsage, state: LastUnmatchedUsageReport | undefined): boolean {
  return !state || (state.since !== report.since && at >= nextReportAt(state));
}

function lastReportOf({ since, at }: { since: Instant; at: Instant }): LastUnmatchedUsageReport {
  return { since, reportedAt: at };
}
