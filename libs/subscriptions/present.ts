import { presentPriceConfig } from '#libs/rating';
import type { Subscription } from './subscription.js';

/** A subscription as the API shows it. */
export function presentSubscription(subscription: Subscription) {
  return {
    id: subscription.subscriptionId,
    customerId: subscription.customerId,
    planId: subscription.planId,
    planVersion: subscription.planVersion,
    planName: subscription.planName,
    status: subscription.status,
    currency: subscription.currency,
    timezone: subscription.timezone,
    billingInterval: subscription.billingInterval,
    anchor: subscription.anchor,
    startedAt: subscription.startedAt,
    currentPeriodStart: subscription.period.start,
    currentPeriodEnd: subscription.period.end,
    cancelAt: subscription.cancelAt,
    canceledAt: subscription.canceledAt,
    createdAt: subscription.createdAt,
    prices: subscription.prices.map((price) => ({
      priceId: price.priceId,
      version: price.version,
      name: price.name,
      config: presentPriceConfig(price.config),
      cadence: price.cadence,
      timing: price.timing,
      metricId: price.metricId,
    })),
  };
}
