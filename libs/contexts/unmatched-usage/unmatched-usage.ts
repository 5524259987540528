import { addSeconds, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { unmatchedUsageEvents, type UnmatchedReport, type UnmatchedUsageEvent } from './events.js';

/** What a workspace was told last of usage that is not counted. */
export interface UnmatchedUsageState {
  since: Instant;
  /** By the machine's clock. */
  reportedAt: Instant;
}

/** Tells a workspace of usage that is not counted, unless it was told of this before, or of other usage within the hour. */
export interface ReportUnmatchedUsage {
  readonly type: 'ReportUnmatchedUsage';
  /** The machine's time. */
  readonly at: Instant;
  readonly report: UnmatchedReport;
}

const HOUR_SECONDS = 3_600;

export const unmatchedUsageDecider = defineDecider<
  UnmatchedUsageState,
  ReportUnmatchedUsage,
  UnmatchedUsageEvent
>({
  category: 'unmatchedUsage',
  events: unmatchedUsageEvents,
  decide({ at, report }, state) {
    if (state && (state.since === report.since || at < nextReportAt(state))) return [];
    return [{ type: 'UnmatchedUsageReported', data: { ...report, at } }];
  },
  evolve(_state, { data: { since, at: reportedAt } }) {
    return { since, reportedAt };
  },
});

/** When the workspace may be told again. */
export function nextReportAt({ reportedAt }: UnmatchedUsageState): Instant {
  return addSeconds(reportedAt, HOUR_SECONDS);
}
