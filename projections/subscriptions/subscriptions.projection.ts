import { snapshotProjection } from '#libs/kernel/projection';
import { nextDueChange, subscriptionDecider } from '#libs/contexts/subscriptions';
import { SubscriptionRow } from './subscription-row.js';

/** All subscriptions with their present state and the time of their next due change, for `GET /v1/subscriptions` and for billing. */
export const subscriptionsProjection = snapshotProjection({
  name: 'subscriptions',
  version: 16,
  entity: SubscriptionRow,
  decider: subscriptionDecider,
  columnsOf: (subscription) => ({
    customerId: subscription.customerId,
    planId: subscription.planId,
    priceIds: subscription.items.map(({ price }) => price.priceId),
    priceMigrationIds: subscription.amendments.flatMap(({ status, migrationId }) =>
      status === 'applied' && migrationId !== undefined ? [migrationId] : [],
    ),
    status: subscription.status,
    externalId: subscription.externalId ?? null,
    live: subscription.phase !== 'canceled',
    nextBillingAt: nextDueChange(subscription)?.at ?? null,
  }),
});
