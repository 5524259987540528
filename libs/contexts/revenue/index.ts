export {
  lastInstantOfMonth,
  monthAfter,
  monthBefore,
  monthContaining,
  type BookMonth,
} from './book-months.js';
export { AccrualAudit } from './accruals/accrual-audit.js';
export type { RevenueAccrualEvent } from './accruals/events.js';
export type { ClosingMonth } from './accruals/month-accruer.js';
export { OverageAccruals } from './accruals/overage-accruals.js';
export { PendingMonthReader } from './accruals/pending-month-reader.js';
export { UnbilledRevenueMeter } from './accruals/unbilled-revenue.js';
export { RevenueAccruals } from './accruals/revenue-accruals.js';
export {
  ClosedMonthAudit,
  type AuditedSubscription,
  type OpenPastSources,
  type PastSources,
} from './closing/closed-month-audit.js';
export { ClosedMonths } from './closing/closed-months.js';
export { MonthLock } from './closing/month-lock.js';
export type { MonthFigures, RevenueMonthEvent } from './closing/events.js';
export { requireNextMonth, requireNoEarlierMonths, type ClosedMonth } from './closing/revenue-months.js';
export { RevenueModule } from './revenue.module.js';
