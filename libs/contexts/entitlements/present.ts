import { Decimal, jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { Entitlement } from './entitlement.js';
import type { EntitlementGrant } from './entitlement-grant.js';

/** The pricing model that is shown if no price charges for the feature. */
const WITHOUT_PRICE = 'none';

/**
 * Converts an entitlement to its form in the API. A customer has access to a numeric feature while the consumption is below the limit.
 *
 * @param consumed the measured quantity of the feature's metric; 0 without a metric
 */
export function presentEntitlement(
  { featureId, featureName, type, allocated, pricingModel }: Entitlement,
  consumed: DecimalString,
) {
  const remaining = allocated === null ? null : Decimal.max(new Decimal(allocated).minus(consumed), 0);
  return {
    featureId,
    featureName,
    type,
    hasAccess: remaining === null || !remaining.isZero(),
    allocated: allocated === null ? null : jsonNumber(allocated),
    consumed: jsonNumber(consumed),
    remaining: remaining && jsonNumber(remaining.toFixed()),
    pricingModel: pricingModel ?? WITHOUT_PRICE,
  };
}

/** Converts a grant to its form in the API. */
export function presentEntitlementGrant(grant: EntitlementGrant) {
  const { grantId: id, customerId, featureId, limit, reason, expiresAt, createdAt } = grant;
  return {
    id,
    customerId,
    featureId,
    limit: limit === null ? null : jsonNumber(limit),
    reason,
    expiresAt,
    createdAt,
  };
}
