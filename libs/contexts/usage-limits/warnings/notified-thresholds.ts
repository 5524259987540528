import type { DecimalString } from '#libs/kernel/core';
import { aggregateId, defineDecider } from '#libs/kernel/domain';
import { limitWindowEvents, type LimitReached, type LimitWindowEvent } from './events.js';

/** The thresholds of one limit, customer and window for which an event was appended. */
export interface NotifiedThresholds {
  thresholds: readonly DecimalString[];
}

/**
 * Records that a threshold of a limit was reached, so that a webhook is sent for it. Does nothing if the threshold was already recorded.
 */
export interface RecordNotifiedThreshold {
  readonly type: 'RecordNotifiedThreshold';
  readonly reached: LimitReached;
}

export const notifiedThresholdsDecider = defineDecider<
  NotifiedThresholds,
  RecordNotifiedThreshold,
  LimitWindowEvent
>({
  category: 'usageLimitWindow',
  events: limitWindowEvents,
  decide({ reached }, state) {
    if (state?.thresholds.includes(reached.threshold)) return [];
    return [{ type: 'UsageLimitReached', data: reached }];
  },
  evolve(state, { data: { threshold } }) {
    return { thresholds: [...(state?.thresholds ?? []), threshold] };
  },
});

/** Returns the stream id for a limit, a customer and a window. */
export function limitWindowId(
  workspaceId: string,
  { limitId, windowStart, customerId }: Pick<LimitReached, 'limitId' | 'windowStart' | 'customerId'>,
): string {
  return aggregateId(workspaceId, `${limitId}.${Date.parse(windowStart)}.${customerId}`);
}
