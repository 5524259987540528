import { usageLimitDecider } from '#libs/contexts/usage-limits';
import { snapshotProjection } from '#libs/kernel/projection';
import { UsageLimitRow } from './usage-limit-row.js';

/** All usage limits, for `GET /v1/usage-limits` and `GET /v1/customers/:id/usage-limits`. */
export const usageLimitsProjection = snapshotProjection({
  name: 'usage-limits',
  version: 1,
  entity: UsageLimitRow,
  decider: usageLimitDecider,
  columnsOf: ({ customerId, metricId, deleted }) => ({ customerId, metricId, deleted }),
});
