import { CustomerSubscriptions } from '#libs/contexts/billing';
import { PriceSubscribers } from '#libs/contexts/credits';
import { PlanSubscribers } from '#libs/contexts/price-migrations';
import { defineReadModels } from '#libs/kernel/projection';
import { LiveCustomerSubscriptions } from './customer-subscriptions.js';
import { SubscriptionPriceSubscribers } from './price-subscribers.js';
import { SubscriptionPlanSubscribers } from './plan-subscribers.js';
import { subscriptionsProjection } from './subscriptions.projection.js';

export default defineReadModels({
  projections: [subscriptionsProjection],
  adapters: [
    { provide: CustomerSubscriptions, useClass: LiveCustomerSubscriptions },
    { provide: PlanSubscribers, useClass: SubscriptionPlanSubscribers },
    { provide: PriceSubscribers, useClass: SubscriptionPriceSubscribers },
  ],
});
