import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { RevenueAccrualEvent } from './accruals/events.js';
import type { RevenueMonthEvent } from './closing/events.js';

export const auditTrailRules: AuditTrailRules<RevenueAccrualEvent | RevenueMonthEvent> = {
  RevenueAccrued: INTERNAL,
  RevenueMonthClosed: { action: 'revenue_month.closed', id: 'month' },
};
