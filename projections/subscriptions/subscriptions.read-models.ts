import { CustomerSubscriptions } from '#libs/contexts/billing';
import { SubscriptionsByPrice } from '#libs/contexts/credits';
import { PlanSubscribers } from '#libs/contexts/price-migrations';
import { defineReadModels } from '#libs/kernel/projection';
import { LiveCustomerSubscriptions } from './customer-subscriptions.js';
import { SubscriptionsByPriceOnRecord } from './subscriptions-by-price.js';
import { SubscriptionPlanSubscribers } from './plan-subscribers.js';
import { subscriptionsProjection } from './subscriptions.projection.js';

export default defineReadModels({
  projections: [subscriptionsProjection],
  adapters: [
    { provide: CustomerSubscriptions, useClass: LiveCustomerSubscriptions },
    { provide: PlanSubscribers, useClass: SubscriptionPlanSubscribers },
    { provide: SubscriptionsByPrice, useClass: SubscriptionsByPriceOnRecord },
  ],
});
