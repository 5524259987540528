import type { Subscription } from '#libs/contexts/subscriptions';
import type { MeteredSubscription } from './limit-window.js';

/** Returns the terms of a subscription that determine the windows of limits. Undefined if the subscription does not exist or has ended. */
export function meteredSubscription(
  subscription: Pick<Subscription, 'phase' | 'anchor' | 'timezone' | 'billingInterval' | 'items'> | undefined,
): MeteredSubscription | undefined {
  if (!subscription || subscription.phase === 'canceled') return undefined;
  const { anchor, timezone, billingInterval, items } = subscription;
  const metricIds = items.flatMap(({ price }) => price.metricId ?? []);
  return { anchor, timezone, billingInterval, metricIds };
}

/** Returns the metrics whose limit windows can differ between two states of a subscription. */
export function metricsWithMovedPeriods(
  before: MeteredSubscription | undefined,
  after: MeteredSubscription | undefined,
): string[] {
  const [old, present] = [before?.metricIds ?? [], after?.metricIds ?? []];
  const all = [...new Set([...old, ...present])];
  const samePeriods =
    before?.anchor === after?.anchor &&
    before?.timezone === after?.timezone &&
    before?.billingInterval === after?.billingInterval;
  return samePeriods ? all.filter((id) => old.includes(id) !== present.includes(id)) : all;
}
