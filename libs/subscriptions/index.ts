export { usageBill } from './bill.js';
export { ChangeSubscription } from './commands/change-subscription.js';
export { CreateSubscription } from './commands/create-subscription.js';
export type {
  Bill,
  BillingPeriod,
  BillKind,
  CancelReason,
  RunReference,
  SubscriptionAgreement,
  SubscriptionEvent,
} from './events.js';
export { presentSubscription } from './present.js';
export {
  isDue,
  requireLive,
  SUBSCRIPTION_STATUSES,
  subscriptionDecider,
  upcomingBill,
  type Subscription,
  type SubscriptionCommand,
  type SubscriptionStatus,
} from './subscription.js';
export { Subscriptions } from './subscriptions.js';
export { SubscriptionsModule } from './subscriptions.module.js';
