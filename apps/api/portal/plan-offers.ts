import { planVersion, type Plan, type PlanVersion } from '#libs/contexts/catalog';
import type { QuantityLimits } from '#libs/contexts/identity';
import { hasUnits, readQuantities, type Subscription } from '#libs/contexts/subscriptions';
import { Decimal, Forbidden, InvalidRequest, NotFound } from '#libs/kernel/core';

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

/**
 * Checks the units that a customer chose for the fees of a plan. The portal session must allow this (`limits`). Each fee must be a price of
 * the plan, with a whole number of units within the limits. Throws Forbidden (`quantities_not_allowed`) or InvalidRequest.
 *
 * @param requested the `quantities` of the request, as {@link readQuantities} accepts them; undefined if the customer chose none
 */
export function requireAllowedQuantities(
  requested: unknown,
  limits: QuantityLimits | null,
  { prices }: Pick<PlanVersion, 'prices'>,
): void {
  if (requested === undefined) return;
  if (!limits)
    throw new Forbidden(
      'quantities_not_allowed',
      'This portal session does not allow a choice of units; leave out quantities',
    );
  const { minimum, maximum } = limits;
  for (const [priceId, quantity] of Object.entries(readQuantities(requested))) {
    if (!prices.includes(priceId))
      throw InvalidRequest.field(
        'quantities',
        `must name prices of the new plan; "${priceId}" is not one of them`,
      );
    if (!areWithin(limits, quantity))
      throw InvalidRequest.field(
        'quantities',
        `must be whole numbers from ${minimum} to ${maximum}; ${quantity} of "${priceId}" is not`,
      );
  }
}

/**
 * Checks the units that the fees of a plan have after a switch, also of fees that the customer did not name. Otherwise a customer could avoid
 * the limits of the portal session by naming no units. Fees outside the plan are the seller's, and seats of licenses are counted, so neither
 * is checked. Throws InvalidRequest.
 *
 * @param subscription the subscription after the switch
 */
export function requireUnitsWithinLimits(
  subscription: Pick<Subscription, 'items'>,
  limits: QuantityLimits | null,
  { prices }: Pick<PlanVersion, 'prices'>,
): void {
  if (!limits) return;
  for (const { price, quantity } of subscription.items) {
    if (!prices.includes(price.priceId) || !hasUnits(price) || price.licenseTypeId !== undefined) continue;
    if (!areWithin(limits, quantity))
      throw InvalidRequest.field(
        'quantities',
        `must name the units of "${price.priceId}", as whole numbers from ${limits.minimum} to ${limits.maximum}; without it, the switch would have ${quantity}`,
      );
  }
}

function areWithin({ minimum, maximum }: QuantityLimits, quantity: string): boolean {
  const units = new Decimal(quantity);
  return units.isInteger() && units.gte(minimum) && units.lte(maximum);
}

/**
 * Returns the result of a switch of plan. A customer has no `priceMap` to say which fee gets the units of a fee that ends, so an error
 * that asks for it is replaced. The error then asks for the units themselves (`quantities_required`) if the session allows to choose them.
 */
export async function askForQuantities<T>(switching: Promise<T>, limits: QuantityLimits | null): Promise<T> {
  try {
    return await switching;
  } catch (error) {
    if (!(error instanceof InvalidRequest) || error.code !== 'price_map_required') throw error;
    if (limits)
      throw InvalidRequest.field(
        'quantities',
        'must name the units of each fee per unit of the new plan, because it is not certain which fee gets the present units',
        'quantities_required',
      );
    throw new InvalidRequest(
      'units_not_movable',
      'It is not certain which fee of the new plan gets the present units, so the seller must change the plan',
    );
  }
}
