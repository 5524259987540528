import type { ActionTerm, ProposedAction } from '#libs/contexts/approvals';
import { DEFAULT_CANCEL_OPTIONS, type Subscription } from '#libs/contexts/subscriptions';

type Effect = Pick<ProposedAction, 'effectiveAt' | 'terms' | 'changes'>;

/**
 * Returns when a cancellation takes effect and on what terms: how the subscription ends, and what it has until then. The end of the present
 * period is a term of an end at once, since a renewal in between would give the fees of another period back.
 */
export function cancellationEffect(before: Subscription, after: Subscription): Effect {
  const { credit, finalInvoice } = after.cancelOptions ?? DEFAULT_CANCEL_OPTIONS;
  const isAtOnce = after.phase === 'canceled';
  return {
    effectiveAt: isAtOnce ? null : after.cancelAt,
    terms: [
      { name: 'credit', value: credit },
      { name: 'finalInvoice', value: finalInvoice ? 'yes' : 'no' },
      ...subscribedTerms(before),
      ...(isAtOnce ? [presentPeriod(before)] : []),
    ],
    changes: [
      { field: 'status', before: before.status, after: after.status },
      { field: 'cancelAt', before: before.cancelAt, after: after.cancelAt },
    ],
  };
}

/** Returns when a pause takes effect and on what terms, in the same way as {@link cancellationEffect}. */
export function pauseEffect(before: Subscription, after: Subscription): Effect {
  const isAtOnce = after.phase === 'paused';
  const resumesAt = after.resumeAt ?? after.plannedPause?.resumeAt ?? null;
  const pausesAt = after.pausedAt ?? after.plannedPause?.pauseAt ?? null;
  return {
    effectiveAt: isAtOnce ? null : pausesAt,
    terms: [
      { name: 'resumesAt', value: resumesAt },
      ...subscribedTerms(before),
      ...(isAtOnce ? [presentPeriod(before)] : []),
    ],
    changes: [
      { field: 'status', before: before.status, after: after.status },
      { field: 'pausesAt', before: before.plannedPause?.pauseAt ?? null, after: pausesAt },
    ],
  };
}

/** Returns the plan and the prices of a subscription as terms. The units of a price for licenses are left out, since they are counted. */
function subscribedTerms({ planId, planName, planVersion, items }: Subscription): ActionTerm[] {
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

function presentPeriod({ period }: Subscription): ActionTerm {
  return { name: 'currentPeriodEnd', value: period.end };
}
