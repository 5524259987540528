export { UsageLimitQueries, type UsageLimitFilter } from './usage-limit-queries.js';
export { UsageLimitsReadModule } from './usage-limits-read.module.js';
