import { isDeepStrictEqual } from 'node:util';
import type { BillingThresholds } from '#libs/contexts/catalog';
import { Conflict, requireWholeMinorUnits, type Instant } from '#libs/kernel/core';
import type { ClaimedExternalId, SubscriptionDetails, SubscriptionEvent } from '../events.js';
import { requireNotEnded, type Subscription } from '../subscription.js';
import { requireNothingDue } from './require-nothing-due.js';

/** The details of a subscription to change. A part that is absent stays as it is. */
export interface DetailsChange {
  /** The pairs that replace all present ones. */
  metadata?: Record<string, unknown> | undefined;
  /** The integrator's own id, which nobody else has in the workspace. If null, the subscription has none from now on. */
  externalId?: string | null | undefined;
  /** The thresholds that replace the plan's and the present ones. If null, there are none. */
  billingThresholds?: BillingThresholds | null | undefined;
}

/** Changes details of a subscription that charge nothing by themselves. */
export interface ChangeDetails {
  type: 'ChangeDetails';
  subscriptionId: string;
  details: DetailsChange;
  /** The external id that the command was made from, which is given up if the details name another one. */
  externalIdBefore: string | null;
  /** The claim of that external id. Absent if the command changes no external id, or if the subscription has no claim of it. */
  formerExternalId?: ClaimedExternalId | undefined;
  at: Instant;
}

/**
 * Changes the details that the command names and that differ. Does nothing if none differs. Throws StateConflict if the subscription has
 * ended. Throws Conflict (`subscription_changed`) if its external id was changed at the same time. Throws InvalidRequest for a threshold
 * with more decimal places than the currency has.
 */
export function changeDetails(
  { at, externalIdBefore, formerExternalId, details }: ChangeDetails,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { metadata, externalId, billingThresholds } = details;
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, currency } = subscription;
  if (billingThresholds)
    requireWholeMinorUnits('billingThresholds.amountGte', billingThresholds.amountGte, currency);
  const changed: Partial<SubscriptionDetails> & { formerExternalId?: ClaimedExternalId } = {};
  if (metadata !== undefined && !isDeepStrictEqual(metadata, subscription.metadata))
    changed.metadata = metadata;
  if (externalId !== undefined && externalId !== (subscription.externalId ?? null)) {
    if (externalIdBefore !== (subscription.externalId ?? null))
      throw new Conflict(
        'subscription_changed',
        'The externalId was changed at the same time; send the request again',
      );
    changed.externalId = externalId;
    if (formerExternalId) changed.formerExternalId = formerExternalId;
  }
  if (
    billingThresholds !== undefined &&
    !isDeepStrictEqual(billingThresholds, subscription.ownBillingThresholds)
  )
    changed.ownBillingThresholds = billingThresholds;
  if (Object.keys(changed).length === 0) return [];
  return [{ type: 'SubscriptionDetailsChanged', data: { subscriptionId, customerId, at, ...changed } }];
}
