import { snapshotProjection } from '#libs/projection';
import { subscriptionDecider } from '#libs/subscriptions';
import { SubscriptionRow } from './subscription-row.js';

/** Every subscription with its present state: `GET /v1/subscriptions`, and what is to be billed when. */
export const subscriptionsProjection = snapshotProjection({
  name: 'subscriptions',
  version: 2,
  entity: SubscriptionRow,
  decider: subscriptionDecider,
  columns: ({ customerId, planId, prices, status, period }) => ({
    customerId,
    planId,
    priceIds: prices.map(({ priceId }) => priceId),
    status,
    nextBillingAt: status === 'canceled' ? null : period.end,
  }),
});
