import { CustomerSubscriptionFinder } from '#libs/contexts/billing';
import { SubscriptionByPriceFinder, TrialFinder } from '#libs/contexts/credits';
import { PlanSubscriptionFinder } from '#libs/contexts/price-migrations';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelCustomerSubscriptionFinder } from './read-model-customer-subscription-finder.js';
import { ReadModelSubscriptionByPriceFinder } from './read-model-subscription-by-price-finder.js';
import { ReadModelPlanSubscriptionFinder } from './read-model-plan-subscription-finder.js';
import { ReadModelTrialFinder } from './read-model-trial-finder.js';
import { subscriptionsProjection } from './subscriptions.projection.js';

export default defineReadModels({
  projections: [subscriptionsProjection],
  adapters: [
    { provide: CustomerSubscriptionFinder, useClass: ReadModelCustomerSubscriptionFinder },
    { provide: PlanSubscriptionFinder, useClass: ReadModelPlanSubscriptionFinder },
    { provide: SubscriptionByPriceFinder, useClass: ReadModelSubscriptionByPriceFinder },
    { provide: TrialFinder, useClass: ReadModelTrialFinder },
  ],
});
