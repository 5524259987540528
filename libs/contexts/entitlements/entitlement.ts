import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { FeatureType } from '#libs/contexts/catalog';

/** The consumption of a feature is the usage of the metric from `start` until before `end`. */
export interface ConsumptionRange {
  readonly metricId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** A feature that a customer has by a plan or a grant. */
export interface EntitlementSource {
  readonly featureId: string;
  /** The name of the feature. Null for a grant, because only plans contain the names of features. */
  readonly name: string | null;
  /** The type of the feature. Null for a grant, because only plans define the types of features. */
  readonly type: FeatureType | null;
  /** If `limit` is null, the feature has no limit. */
  readonly limit: DecimalString | null;
  /** Null for a grant, or if the feature has no metric. */
  readonly consumption: ConsumptionRange | null;
  /**
   * The pricing model of the price on the metric, such as `unit`. Null for a grant, or if the feature has no metric. Null also if no price
   * of the subscription charges for the metric.
   */
  readonly pricingModel: string | null;
}

/** The right of a customer to use one feature, with its limit. */
export interface Entitlement {
  readonly featureId: string;
  readonly featureName: string;
  readonly type: FeatureType;
  /** The limit of a numeric feature. Null if the feature is boolean or has no limit. */
  readonly allocated: DecimalString | null;
  /** Null if no plan gives the feature a metric. */
  readonly consumption: ConsumptionRange | null;
  /** The pricing model of the price on the metric, as in the source of the consumption. Null if no price charges for it. */
  readonly pricingModel: string | null;
}

/**
 * Computes the entitlements of a customer from all its plans and grants. If several plans or grants give a feature, the one with the
 * highest limit applies. A plan or grant without a limit counts as higher than any limit. Consumption is measured with the metric that a
 * plan gives the feature. If several plans give the feature a metric, the metric of the plan with the highest limit is used. The
 * entitlements are in the order of `sources`.
 */
export function combineEntitlements(sources: readonly EntitlementSource[]): Entitlement[] {
  return [...Map.groupBy(sources, ({ featureId }) => featureId).values()].map((ofFeature) => {
    const [best] = ofFeature.toSorted(byGenerosity);
    const fromPlans = ofFeature.filter(({ type }) => type !== null).toSorted(byGenerosity);
    const measured = fromPlans.find(({ consumption }) => consumption !== null);
    const { featureId, limit } = best!;
    const type = typeOf(fromPlans, limit);
    return {
      featureId,
      featureName: fromPlans[0]?.name ?? featureId,
      type,
      allocated: type === 'boolean' ? null : limit,
      consumption: measured?.consumption ?? null,
      pricingModel: measured?.pricingModel ?? null,
    };
  });
}

/** Returns the type of a feature. If no plan gives the feature, a feature with a limit is numeric. */
function typeOf(fromPlans: readonly EntitlementSource[], limit: DecimalString | null): FeatureType {
  if (fromPlans.some(({ type }) => type === 'numeric') || limit !== null) return 'numeric';
  return 'boolean';
}

function byGenerosity(a: EntitlementSource, b: EntitlementSource): number {
  if (a.limit === null || b.limit === null) return Number(b.limit === null) - Number(a.limit === null);
  return new Decimal(b.limit).cmp(a.limit);
}
