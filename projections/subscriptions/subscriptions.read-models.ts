import { CustomerSubscriptions } from '#libs/contexts/billing';
import { SubscriptionsByPrice } from '#libs/contexts/credits';
import { PlanSubscribers } from '#libs/contexts/price-migrations';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelCustomerSubscriptions } from './customer-subscriptions.js';
import { ReadModelSubscriptionsByPrice } from './subscriptions-by-price.js';
import { ReadModelPlanSubscribers } from './plan-subscribers.js';
import { subscriptionsProjection } from './subscriptions.projection.js';

export default defineReadModels({
  projections: [subscriptionsProjection],
  adapters: [
    { provide: CustomerSubscriptions, useClass: ReadModelCustomerSubscriptions },
    { provide: PlanSubscribers, useClass: ReadModelPlanSubscribers },
    { provide: SubscriptionsByPrice, useClass: ReadModelSubscriptionsByPrice },
  ],
});
