export type { UnmatchedReport, UnmatchedUsageReportEvent } from './events.js';
export type { UnmatchedUsageState } from './unmatched-usage.js';
