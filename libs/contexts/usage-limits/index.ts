export { LimitUseReader, type LimitUse } from './counting/limit-use-reader.js';
export { checkLimits } from './counting/limit-check.js';
export {
  markCountersOutdated,
  pruneCounters,
  removeCountersOfDeletedLimits,
} from './counting/counter-rows.js';
export { CounterVerification } from './counting/limit-verification.js';
export { CustomerCalendars } from './counting/customer-calendars.js';
export { LimitCounters } from './counting/limit-counters.js';
export { LimitGate } from './counting/limit-gate.js';
export type { LimitRule } from './counting/limit-rule.js';
export { readAllLimitIds, LimitRules } from './counting/limit-rules.js';
export { remainingQuantity } from './counting/limit-use.js';
export { ChangeUsageLimit } from './limits/commands/change-usage-limit.js';
export { CreateUsageLimit } from './limits/commands/create-usage-limit.js';
export {
  LIMIT_ACTIONS,
  LIMIT_WINDOW_KINDS,
  type LimitAction,
  type LimitWindowKind,
} from './limits/events.js';
export { presentUsageLimit } from './limits/present.js';
export { MAX_WARNINGS, usageLimitDecider, type UsageLimit } from './limits/usage-limit.js';
export { UsageLimitsModule } from './usage-limits.module.js';
export { LimitReporter } from './warnings/limit-reporter.js';
export { windowAt, type CustomerCalendar, type MeteredSubscription } from './windows/limit-window.js';
export { meteredSubscription } from './windows/metered-subscription.js';
