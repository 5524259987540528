import { jsonNumber } from '#libs/kernel/core';
import type { UsageLimit } from './usage-limit.js';

/** Converts a limit to its form in the API. */
export function presentUsageLimit(limit: UsageLimit) {
  const { limitId: id, customerId, metricId, per, action, createdAt } = limit;
  return {
    id,
    customerId,
    metricId,
    limit: jsonNumber(limit.limit),
    per,
    action,
    warnAt: limit.warnAt.map(jsonNumber),
    createdAt,
  };
}
