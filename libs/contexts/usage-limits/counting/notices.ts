import type { DecimalString, Instant } from '#libs/kernel/core';
import type { LimitNotice } from '../warnings/notice-rows.js';
import type { LimitWindow } from '../windows/limit-window.js';
import type { LimitRule } from './limit-rule.js';

/** Identifies a counter by its rule, customer and window. */
export interface CustomerLimitWindow {
  readonly rule: LimitRule;
  readonly workspaceId: string;
  readonly customerId: string;
  readonly window: LimitWindow;
  /** The present time by the workspace's clock. */
  readonly at: Instant;
}

/** Returns one notice for each threshold of a limit that was reached. */
export function noticesOf(
  { rule, workspaceId, customerId, window, at }: CustomerLimitWindow,
  thresholds: readonly DecimalString[],
  used: DecimalString,
): LimitNotice[] {
  const { limitId, limit, per, action, metric } = rule;
  return thresholds.map((threshold) => ({
    workspaceId,
    limitId,
    customerId,
    metricId: metric.metricId,
    per,
    action,
    threshold,
    limit,
    used,
    windowStart: window.start,
    windowEnd: window.end,
    at,
  }));
}
