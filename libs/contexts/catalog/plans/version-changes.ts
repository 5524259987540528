import { isDeepStrictEqual } from 'node:util';
import { presentMinimumCommitment } from '#libs/rating';
import { presentBillingThresholds } from './billing-thresholds.js';
import type { PlanDetails } from './events.js';
import { presentFeature, type PlanFeature } from './plan-features.js';

/**
 * The difference in one field of a plan: the value before and the value after the change. For a list field, the difference has the added,
 * removed and changed elements.
 */
export type PlanChange =
  | {
      field:
        | 'name'
        | 'nameTranslations'
        | 'description'
        | 'trialDays'
        | 'visibility'
        | 'minimumCommitment'
        | 'billingThresholds';
      from: unknown;
      to: unknown;
    }
  | { field: 'prices'; added: string[]; removed: string[]; reordered?: true }
  | {
      field: 'features';
      added: ShownFeature[];
      removed: ShownFeature[];
      changed: { from: ShownFeature; to: ShownFeature }[];
      reordered?: true;
    };

type ShownFeature = ReturnType<typeof presentFeature>;

/** The differences between two versions of a plan. The differences of the lists, prices and features, come last. */
export function planChanges(from: PlanDetails, to: PlanDetails): PlanChange[] {
  return [
    ...(['name', 'description', 'trialDays', 'visibility'] as const)
      .filter((field) => from[field] !== to[field])
      .map((field) => ({ field, from: from[field], to: to[field] })),
    ...translationChanges(from, to),
    ...(isDeepStrictEqual(from.minimumCommitment, to.minimumCommitment) ? [] : [minimumChange(from, to)]),
    ...(isDeepStrictEqual(from.billingThresholds, to.billingThresholds) ? [] : [thresholdsChange(from, to)]),
    ...(isDeepStrictEqual(from.prices, to.prices) ? [] : [priceChanges(from.prices, to.prices)]),
    ...(isDeepStrictEqual(from.features, to.features) ? [] : [featureChanges(from.features, to.features)]),
  ];
}

function translationChanges(
  { nameTranslations: from = {} }: PlanDetails,
  { nameTranslations: to = {} }: PlanDetails,
): PlanChange[] {
  return isDeepStrictEqual(from, to) ? [] : [{ field: 'nameTranslations', from, to }];
}

function minimumChange(from: PlanDetails, to: PlanDetails): PlanChange {
  return {
    field: 'minimumCommitment',
    from: presentMinimumCommitment(from.minimumCommitment),
    to: presentMinimumCommitment(to.minimumCommitment),
  };
}

function thresholdsChange(from: PlanDetails, to: PlanDetails): PlanChange {
  return {
    field: 'billingThresholds',
    from: presentBillingThresholds(from.billingThresholds),
    to: presentBillingThresholds(to.billingThresholds),
  };
}

function priceChanges(from: string[], to: string[]): PlanChange {
  const added = to.filter((priceId) => !from.includes(priceId));
  const removed = from.filter((priceId) => !to.includes(priceId));
  return { field: 'prices', added, removed, ...reordered(added.length + removed.length) };
}

function featureChanges(from: PlanFeature[], to: PlanFeature[]): PlanChange {
  const before = new Map(from.map((feature) => [feature.featureId, feature]));
  const after = new Set(to.map(({ featureId }) => featureId));
  const added = to.filter(({ featureId }) => !before.has(featureId));
  const removed = from.filter(({ featureId }) => !after.has(featureId));
  const changed = to.flatMap((feature) => {
    const was = before.get(feature.featureId);
    return was === undefined || isDeepStrictEqual(was, feature)
      ? []
      : [{ from: presentFeature(was), to: presentFeature(feature) }];
  });
  return {
    field: 'features',
    added: added.map(presentFeature),
    removed: removed.map(presentFeature),
    changed,
    ...reordered(added.length + removed.length + changed.length),
  };
}

/** Marks a list as reordered. If lists differ, but no element was added, removed or changed, only the order is different. */
function reordered(differences: number): { reordered?: true } {
  return differences === 0 ? { reordered: true } : {};
}
