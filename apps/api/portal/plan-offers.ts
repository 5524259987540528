import { planVersion, type Plan, type PlanVersion } from '#libs/contexts/catalog';
import type { Subscription } from '#libs/contexts/subscriptions';
import { InvalidRequest, NotFound } from '#libs/kernel/core';

/**
 * Returns the published version of a plan. Customers see the published version in the portal and can switch to it. Customers do not see
 * draft versions.
 */
export function publishedPlanVersion(plan: Plan): PlanVersion {
  return planVersion(plan, plan.publishedVersion);
}

/**
 * Checks that a customer can switch a subscription to a plan. The plan must be public, have the currency of the subscription, and differ
 * from the present plan. Throws NotFound for a deleted or hidden plan, as if the plan did not exist. Throws InvalidRequest if the customer
 * cannot switch to the plan for another reason.
 */
export function requireOfferedPlan(
  plan: Plan,
  { planId, currency }: Pick<Subscription, 'planId' | 'currency'>,
): void {
  const { visibility, currency: ofPlan } = publishedPlanVersion(plan);
  if (plan.deleted || visibility !== 'public') throw NotFound.of('plan', plan.planId);
  if (plan.planId === planId)
    throw InvalidRequest.field('planId', 'must be another plan than the present one', 'plan_unchanged');
  if (ofPlan !== currency)
    throw InvalidRequest.field(
      'planId',
      `must be a plan in ${currency}, the currency of the subscription; this one is in ${ofPlan}`,
    );
}
