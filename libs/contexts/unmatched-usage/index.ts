export type { UnmatchedUsageReport, UnmatchedUsageReportEvent } from './events.js';
export type { LastUnmatchedUsageReport } from './unmatched-usage.js';
