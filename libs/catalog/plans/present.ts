import { latestPlanVersion, type Plan, type PlanVersion } from './plan.js';

/** A plan as the API shows it: the version that was edited last, and which one new subscriptions get. */
export function presentPlan(plan: Plan) {
  const latest = latestPlanVersion(plan);
  return {
    id: plan.planId,
    name: latest.name,
    description: latest.description,
    prices: latest.prices.map((priceId) => ({ priceId })),
    currency: latest.currency,
    version: latest.version,
    status: statusOf(plan, latest),
    publishedVersion: plan.publishedVersion,
    createdAt: plan.createdAt,
    updatedAt: latest.createdAt,
  };
}

/** A version of a plan as the API shows it. */
export function presentPlanVersion(plan: Plan, version: PlanVersion) {
  return {
    version: version.version,
    status: statusOf(plan, version),
    name: version.name,
    description: version.description,
    prices: version.prices.map((priceId) => ({ priceId })),
    currency: version.currency,
    createdAt: version.createdAt,
    publishedAt: version.publishedAt,
  };
}

export const PLAN_VERSION_STATUSES = ['draft', 'published', 'superseded'] as const;

/** `published`: what new subscriptions get. `draft`: what publishing would publish. `superseded`: any other. */
function statusOf(plan: Plan, { version }: PlanVersion): (typeof PLAN_VERSION_STATUSES)[number] {
  if (version === plan.publishedVersion) return 'published';
  return version === plan.draftVersion ? 'draft' : 'superseded';
}
