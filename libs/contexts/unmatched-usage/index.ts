export type { UnmatchedReport, UnmatchedUsageReportEvent as UnmatchedUsageEvent } from './events.js';
export type { UnmatchedUsageState } from './unmatched-usage.js';
