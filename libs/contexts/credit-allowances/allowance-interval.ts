import type { Instant } from '#libs/kernel/core';
import type { AllowanceInterval } from '#libs/contexts/credits';
import type { Subscription } from '#libs/contexts/subscriptions';
import { periodAt, type Period } from '#libs/rating';

const CADENCES = { month: 'monthly', year: 'annual' } as const;

/**
 * The interval of an allowance that contains an instant. `period`: the present billing period or trial of the subscription. `month` and
 * `year`: counted from the subscription's anchor, in its time zone, also if billing periods have another length. Undefined if the
 * subscription gives no allowance at that instant, or if its present period has ended and the next one has not begun yet.
 */
export function allowanceInterval(
  every: AllowanceInterval,
  {
    phase,
    period,
    anchor,
    timezone,
  }: Pick<Subscription, 'phase' | 'anchor' | 'timezone'> & { period: Period },
  at: Instant,
): Period | undefined {
  if (phase !== 'trialing' && phase !== 'active') return undefined;
  if (at < period.start || at >= period.end) return undefined;
  if (every === 'period') return { start: period.start, end: period.end };
  const { start, end } = periodAt({ anchor, timezone }, CADENCES[every], at);
  return { start, end };
}
