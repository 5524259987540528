export { progressiveBill, revenueMeasurementBill, usageBill } from './bill.js';
export { consolidatedBillKind, moveToConsolidatedInvoice } from './consolidated-invoices.js';
export { billOfEvent } from './decided-bill.js';
export { effectTimeOf, eventsInEffectAt } from './effect-time.js';
export { ChangeSubscription } from './commands/change-subscription.js';
export { CreateSubscription, type NewSubscription } from './commands/create-subscription.js';
export { DeleteCustomer } from './commands/delete-customer.js';
export {
  subscriptionDecider,
  type ExistingSubscriptionCommand,
  type SubscriptionCommand,
  type SubscriptionUpdate,
} from './decider.js';
export type { DetailsChange } from './decisions/change-details.js';
export { ExternalIds } from './external-ids/external-ids.js';
export { AMENDMENT_KINDS, CANCEL_CREDITS, DEFAULT_CANCEL_OPTIONS } from './events.js';
export type {
  AmendmentKind,
  Bill,
  BillingPeriod,
  BillKind,
  CancelCredit,
  CancelOptions,
  CancelReason,
  RequestedAmendment,
  RunReference,
  SubscribedPlan,
  SubscriptionAgreement,
  SubscriptionEvent,
  SubscriptionItem,
  TermsChange,
} from './events.js';
export { presentAmendment, presentPreviewedAmendment, presentSubscription } from './present.js';
export type { PrepaidFee } from './prepaid.js';
export { joinedPlanAfter, migrationTakesEffectAt, type PlannedMigration } from './planned-migrations.js';
export { PRICE_MAP_LIMIT, readPriceMap, type PriceMap } from './price-map.js';
export { QUANTITY_LIMITS, readQuantities } from './quantities.js';
export { hasLicensePrice, mustCountLicenses, pausedItems, pricesInChange } from './seats.js';
export { hasUnits } from './fee-replacements.js';
export { isChangeDue, nextDueChange } from './next-due.js';
export {
  isPlanAmendment,
  requireNotEnded,
  scheduledPlanChanges,
  billingThresholdsOf,
  AMENDMENT_STATUSES,
  SUBSCRIPTION_STATUSES,
  type Amendment,
  type PlanAmendment,
  type Subscription,
  type SubscriptionStatus,
} from './subscription.js';
export { MAX_PRICE_BYTES, refuseLargePrices } from './stored-size.js';
export { Subscriptions } from './subscriptions.js';
export { SubscriptionsModule } from './subscriptions.module.js';
export { TermsChangeResolver, type RequestedTermsChange } from './terms-change-resolver.js';
export {
  upcomingAmendment,
  firstPeriodEndWithoutBill,
  nextBilledPeriod,
  type UpcomingAmendment,
  type UpcomingPeriod,
} from './upcoming.js';
