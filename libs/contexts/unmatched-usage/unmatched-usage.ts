import { addSeconds, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import {
  unmatchedUsageReportEvents,
  type UnmatchedUsageReport,
  type UnmatchedUsageReportEvent,
} from './events.js';

/** The last report of uncounted usage that a workspace received. */
export interface LastUnmatchedUsageReport {
  /** The field `since` of the report, which identifies the report. */
  since: Instant;
  /** The instant of the report, by the machine's clock. */
  reportedAt: Instant;
}

/**
 * Notifies a workspace of uncounted usage. Does nothing if the same usage was already reported, or if a report was sent within the last
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
  UnmatchedUsageReportEvent
>({
  category: 'unmatchedUsage',
  events: unmatchedUsageReportEvents,
  decide({ at, report }, state) {
    if (state && (state.since === report.since || at < nextReportAt(state))) return [];
    return [{ type: 'UnmatchedUsageReported', data: { ...report, at } }];
  },
  evolve(_state, { data: { since, at: reportedAt } }) {
    return { since, reportedAt };
  },
});

/** The earliest instant at which the workspace can be notified again. */
export function nextReportAt({ reportedAt }: LastUnmatchedUsageReport): Instant {
  return addSeconds(reportedAt, HOUR_SECONDS);
}
