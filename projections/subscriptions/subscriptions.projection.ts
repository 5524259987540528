import { snapshotProjection } from '#libs/projection';
import { subscriptionDecider } from '#libs/subscriptions';
import { SubscriptionRow } from './subscription-row.js';

/** Every subscription with its present state: `GET /v1/subscriptions`, and what is to be billed when. */
export const subscriptionsProjection = snapshotProjection({
  name: 'subscriptions',
  version: 1,
  entity: SubscriptionRow,
  decider: subscriptionDecider,
  columns: ({ customerId, status, period }) => ({
    customerId,
    status,
    nextBillingAt: status === 'canceled' ? null : period.end,
  }),
});
