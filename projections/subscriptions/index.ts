export { SubscriptionQueries } from './subscription-queries.js';
export { SubscriptionsReadModule } from './subscriptions-read.module.js';
