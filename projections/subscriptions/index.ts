export { LiveCustomerSubscriptions } from './customer-subscriptions.js';
export { SubscriptionPlanSubscribers } from './plan-subscribers.js';
export { SubscriptionQueries } from './subscription-queries.js';
export { SubscriptionsReadModule } from './subscriptions-read.module.js';
export { subscriptionsProjection } from './subscriptions.projection.js';
