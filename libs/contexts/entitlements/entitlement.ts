import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { FeatureType } from '#libs/contexts/catalog';

/** Says how to measure the consumption of a feature: by the usage of a metric from `start` until before `end`. */
export interface Consumption {
  readonly metricId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** A feature that a customer has by a plan or a grant. */
export interface EntitlementSource {
  readonly featureId: string;
  /** The name of the feature. Null for a grant, because plans name features. */
  readonly name: string | null;
  /** The type of the feature. Null for a grant, because plans define the type. */
  readonly type: FeatureType | null;
  /** If null, there is no limit. */
  readonly limit: DecimalString | null;
  readonly consumption: Consumption | null;
  /**
   * The pricing model of the price on the metric, such as `unit`. Null if the feature has no metric, or if no price charges for the metric.
   */
  readonly pricingModel: string | null;
}

/** The right of a customer to use one feature, with its limit. */
export interface Entitlement {
  readonly featureId: string;
  readonly featureName: string;
  readonly type: FeatureType;
  /** The limit of a numeric feature. Null if there is no limit, and for a boolean feature. */
  readonly allocated: DecimalString | null;
  readonly consumption: Consumption | null;
  readonly pricingModel: string | null;
}

/**
 * Combines all plans and grants of a customer to its entitlements. If a feature has several sources, the most generous source applies. A
 * source without a limit is more generous than any limit. The consumption is measured by the metric of the most generous plan that has one.
 * The entitlements are in the order of the sources.
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

/** Returns the type of a feature. Without a plan, a feature with a limit is numeric. */
function typeOf(fromPlans: readonly EntitlementSource[], limit: DecimalString | null): FeatureType {
  if (fromPlans.some(({ type }) => type === 'numeric') || limit !== null) return 'numeric';
  return 'boolean';
}

function byGenerosity(a: EntitlementSource, b: EntitlementSource): number {
  if (a.limit === null || b.limit === null) return Number(b.limit === null) - Number(a.limit === null);
  return new Decimal(b.limit).cmp(a.limit);
}
