import { changedFields, type ProposedAction } from '#libs/contexts/approvals';
import { Decimal } from '#libs/kernel/core';
import { isDiscount, minimumAndIntervalOf, type PriceConfig } from '#libs/rating';
import type { PlanDetails } from './events.js';
import { planVersion, type Plan, type PlanVersion } from './plan.js';

type Terms = Pick<PlanDetails, 'prices' | 'trialDays' | 'minimumCommitment'>;

/**
 * Tells whether subscribers can pay less by a new version of a plan. They can if a price of the published version is left out, or if a price
 * that takes an amount off is added. They also can if the trial is longer, or if the minimum commitment is lower or has another interval. The
 * versions of the prices
 * themselves are not compared, because they change for all plans at once.
 */
export function canLowerPlan(
  before: Terms,
  after: Terms,
  configOf: (priceId: string) => PriceConfig | undefined,
): boolean {
  if (before.prices.some((priceId) => !after.prices.includes(priceId))) return true;
  const added = after.prices.filter((priceId) => !before.prices.includes(priceId)).map(configOf);
  if (added.some((config) => config !== undefined && isDiscount(config))) return true;
  return after.trialDays > before.trialDays || isCommitmentLower(before, after);
}

function isCommitmentLower(
  { minimumCommitment: before }: Terms,
  { minimumCommitment: after }: Terms,
): boolean {
  if (before === null) return false;
  if (after === null) return true;
  const [old, changed] = [minimumAndIntervalOf(before), minimumAndIntervalOf(after)];
  return old.interval !== changed.interval || new Decimal(changed.minimum).lt(old.minimum);
}

/** Describes the publication of a version of a plan for its approval request. */
export function proposedPlanLowering(
  before: Plan,
  after: Plan,
  command: ProposedAction['command'],
): ProposedAction {
  const old = planVersion(before, before.publishedVersion);
  const published = planVersion(after, after.publishedVersion);
  const shown = ({ version, prices, trialDays, minimumCommitment }: PlanVersion) => ({
    version: String(version),
    prices: prices.join(', '),
    trialDays: String(trialDays),
    minimumCommitment: minimumCommitment === null ? null : JSON.stringify(minimumCommitment),
  });
  const [was, becomes] = [shown(old), shown(published)];
  return {
    customerId: null,
    resource: { type: 'plan', id: before.planId },
    amount: null,
    currency: published.currency,
    reason: null,
    effectiveAt: null,
    lines: [],
    terms: [
      { name: 'published version', value: was.version, isNumber: true },
      ...Object.entries(becomes).map(([name, value]) => ({ name, value })),
    ],
    changes: changedFields(was, becomes),
    command,
  };
}
