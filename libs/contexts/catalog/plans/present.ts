import { presentMinimumCommitment } from '#libs/rating';
import { presentBillingThresholds } from './billing-thresholds.js';
import type { PlanDetails } from './events.js';
import { presentFeature } from './plan-features.js';
import { draftOrPublishedVersion, planVersion, type Plan, type PlanVersion } from './plan.js';
import { planChanges } from './version-changes.js';

/**
 * Converts a plan to its form in the API. This form has the draft, or the published version if there is no draft. It also has the number of
 * the version that new subscriptions get.
 */
export function presentPlan(plan: Plan) {
  const latest = draftOrPublishedVersion(plan);
  return {
    id: plan.planId,
    ...presentDetails(latest),
    version: latest.version,
    status: latest.version === plan.publishedVersion ? ('published' as const) : ('draft' as const),
    publishedVersion: plan.publishedVersion,
    createdAt: plan.createdAt,
    updatedAt: latest.createdAt,
  };
}

/** Converts a version of a plan to its form in the API, with the differences from the version on which it is based. */
export function presentPlanVersion(plan: Plan, version: PlanVersion) {
  return {
    version: version.version,
    status: statusOf(plan, version),
    ...presentDetails(version),
    basedOn: version.basedOn,
    changes: version.basedOn === null ? [] : planChanges(planVersion(plan, version.basedOn), version),
    createdAt: version.createdAt,
    publishedAt: version.publishedAt,
  };
}

function presentDetails({
  name,
  nameTranslations = {},
  description,
  prices,
  currency,
  features,
  trialDays,
  visibility,
  minimumCommitment,
  billingThresholds,
}: PlanDetails) {
  return {
    name,
    nameTranslations,
    description,
    prices: prices.map((priceId) => ({ priceId })),
    currency,
    features: features.map(presentFeature),
    trialDays,
    visibility,
    minimumCommitment: presentMinimumCommitment(minimumCommitment),
    billingThresholds: presentBillingThresholds(billingThresholds),
  };
}

/** The statuses of a plan version. A `superseded` version is neither the published version nor the draft. */
export const PLAN_VERSION_STATUSES = ['draft', 'published', 'superseded'] as const;

/**
 * Returns the status of a version. New subscriptions get the `published` version of a plan. The `draft` version of a plan can be published.
 * All others are `superseded`.
 */
function statusOf(plan: Plan, { version }: PlanVersion): (typeof PLAN_VERSION_STATUSES)[number] {
  if (version === plan.publishedVersion) return 'published';
  return version === plan.draftVersion ? 'draft' : 'superseded';
}
