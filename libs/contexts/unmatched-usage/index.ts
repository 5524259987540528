export type { UnmatchedReport, UnmatchedUsageEvent } from './events.js';
export { UnmatchedReporter } from './unmatched-reporter.js';
export { unmatchedUsageDecider, type UnmatchedUsageState } from './unmatched-usage.js';
export { UnmatchedUsageModule } from './unmatched-usage.module.js';
