export type { UnmatchedReport, UnmatchedUsageEvent } from './events.js';
export type { UnmatchedUsageState } from './unmatched-usage.js';
