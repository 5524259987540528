export { usageBill } from './bill.js';
export { decidedBill } from './decided-bill.js';
export { ChangeSubscription } from './commands/change-subscription.js';
export { CreateSubscription, type NewSubscription } from './commands/create-subscription.js';
export {
  subscriptionDecider,
  type SubscriptionChangeCommand,
  type SubscriptionCommand,
  type SubscriptionUpdate,
} from './decider.js';
export type {
  Bill,
  BillingPeriod,
  BillKind,
  CancelReason,
  RunReference,
  SubscriptionAgreement,
  SubscriptionEvent,
  SubscriptionItem,
} from './events.js';
export { presentSubscription } from './present.js';
export {
  isDue,
  nextDue,
  requireLive,
  SUBSCRIPTION_STATUSES,
  type Subscription,
  type SubscriptionStatus,
} from './subscription.js';
export { Subscriptions } from './subscriptions.js';
export { SubscriptionsModule } from './subscriptions.module.js';
export { upcomingBill, type Upcoming } from './upcoming.js';
