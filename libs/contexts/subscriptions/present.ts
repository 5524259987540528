import { presentBillingThresholds } from '#libs/contexts/catalog';
import { jsonNumber } from '#libs/kernel/core';
import { presentMinimumCommitment, presentPriceConfig } from '#libs/rating';
import type { SubscriptionItem } from './events.js';
import { hasStarted, billingThresholdsOf, type Amendment, type Subscription } from './subscription.js';

/** Converts a subscription to its form in the API. */
export function presentSubscription(subscription: Subscription) {
  const { phase, period } = subscription;
  const started = hasStarted(subscription);
  const current = started && phase !== 'paused' ? period : null;
  return {
    id: subscription.subscriptionId,
    customerId: subscription.customerId,
    planId: subscription.planId,
    planVersion: subscription.planVersion,
    planName: subscription.planName,
    minimumCommitment: presentMinimumCommitment(subscription.minimumCommitment ?? null),
    billingThresholds: presentBillingThresholds(billingThresholdsOf(subscription)),
    status: subscription.status,
    currency: subscription.currency,
    timezone: subscription.timezone,
    billingInterval: subscription.billingInterval,
    anchor: subscription.anchor,
    anchorDay: subscription.anchorDay,
    startsAt: subscription.startedAt,
    startedAt: started ? subscription.startedAt : null,
    trialEnd: subscription.trialEnd,
    currentPeriodStart: current?.start ?? null,
    currentPeriodEnd: current?.end ?? null,
    pausesAt: subscription.plannedPause?.pauseAt ?? null,
    pausedAt: subscription.pausedAt,
    resumesAt: subscription.resumeAt ?? subscription.plannedPause?.resumeAt ?? null,
    cancelAt: subscription.cancelAt,
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    cancelOptions: subscription.cancelOptions,
    canceledAt: subscription.canceledAt,
    createdAt: subscription.createdAt,
    externalId: subscription.externalId ?? null,
    // After an erasure, the metadata is a text instead of an object.
    metadata: typeof subscription.metadata === 'object' ? subscription.metadata : {},
    prices: subscription.items.map(presentItem),
  };
}

function presentItem({ price, quantity }: SubscriptionItem) {
  const { priceId, version, name, config, cadence, timing, metricId } = price;
  return {
    priceId,
    version,
    name,
    config: presentPriceConfig(config),
    cadence,
    timing,
    metricId,
    quantity: metricId === null ? jsonNumber(quantity) : null,
  };
}

/**
 * Converts a previewed change of terms to its form in the API. The preview of a change has no id and no invoice, because the change was not
 * made.
 */
export function presentPreviewedAmendment(amendment: Amendment) {
  return { ...presentAmendment(amendment), id: null, status: 'preview' as const, invoiceId: null };
}

/** Converts a change of a subscription's terms to its form in the API. */
export function presentAmendment({ change, failure, ...amendment }: Amendment) {
  return {
    id: amendment.amendmentId,
    type: amendment.kind,
    status: amendment.status,
    prorate: amendment.prorate,
    effectiveAt: amendment.effectiveAt,
    atPeriodEnd: amendment.atPeriodEnd,
    replacedBy: amendment.replacedBy,
    createdAt: amendment.requestedAt,
    planId: change.plan?.planId ?? null,
    planVersion: change.plan?.planVersion ?? null,
    addPrices: change.addPrices.map(({ priceId, version }) => ({ priceId, version })),
    removePrices: change.removePrices,
    quantities: Object.entries(change.quantities).map(([priceId, quantity]) => ({
      priceId,
      quantity: jsonNumber(quantity),
    })),
    priceMap: change.priceMap ?? {},
    replacements: amendment.replacements ?? [],
    invoiceId: amendment.invoiceId,
    failureCode: failure?.code ?? null,
    failureMessage: failure?.message ?? null,
  };
}
