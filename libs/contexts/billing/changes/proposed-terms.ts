import type { ActionTerm } from '#libs/contexts/approvals';
import { DEFAULT_CANCEL_OPTIONS, type Subscription } from '#libs/contexts/subscriptions';

/**
 * Returns the terms of a cancellation that its approval request shows: how the subscription ends, and what it has until then. The end of the
 * present period is one of them for an end at once, since a renewal in between would give the fees of another period back.
 */
export function cancellationTerms(before: Subscription, after: Subscription): ActionTerm[] {
  const { credit, finalInvoice } = after.cancelOptions ?? DEFAULT_CANCEL_OPTIONS;
  const terms: ActionTerm[] = [
    { name: 'credit', value: credit },
    { name: 'finalInvoice', value: finalInvoice ? 'yes' : 'no' },
    ...subscribedTerms(before),
  ];
  if (after.phase === 'canceled') terms.push({ name: 'currentPeriodEnd', value: before.period.end });
  return terms;
}

/** Returns the plan and the prices of a subscription as terms. The units of a price for licenses are left out, since they are counted. */
export function subscribedTerms({ planId, planName, planVersion, items }: Subscription): ActionTerm[] {
  const prices = items.map(({ price, quantity }) => {
    const { name, priceId, version, metricId, licenseTypeId } = price;
    const units = metricId === null && licenseTypeId === undefined ? `${quantity} × ` : '';
    return `${units}${name} (${priceId}, version ${version})`;
  });
  return [
    { name: 'plan', value: `${planName} (${planId}, version ${planVersion})` },
    { name: 'prices', value: prices.toSorted().join('; ') },
  ];
}
