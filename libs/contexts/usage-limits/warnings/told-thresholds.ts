import type { DecimalString } from '#libs/kernel/core';
import { aggregateId, defineDecider } from '#libs/kernel/domain';
import { limitWindowEvents, type LimitReached, type LimitWindowEvent } from './events.js';

/** The thresholds of one limit, customer and window for which an event was appended. */
export interface ToldThresholds {
  told: readonly DecimalString[];
}

/** Records that a threshold was reached, so that webhooks send it. Does nothing if the threshold was recorded before. */
export interface TellThreshold {
  readonly type: 'TellThreshold';
  readonly reached: LimitReached;
}

export const toldThresholdsDecider = defineDecider<ToldThresholds, TellThreshold, LimitWindowEvent>({
  category: 'usageLimitWindow',
  events: limitWindowEvents,
  decide({ reached }, state) {
    if (state?.told.includes(reached.threshold)) return [];
    return [{ type: 'UsageLimitReached', data: reached }];
  },
  evolve(state, { data: { threshold } }) {
    return { told: [...(state?.told ?? []), threshold] };
  },
});

/** Returns the id of the stream for a limit, a customer and a window. */
export function limitWindowId(
  workspaceId: string,
  { limitId, windowStart, customerId }: Pick<LimitReached, 'limitId' | 'windowStart' | 'customerId'>,
): string {
  return aggregateId(workspaceId, `${limitId}.${Date.parse(windowStart)}.${customerId}`);
}
