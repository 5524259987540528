export { Catalog, type ResolvedPlan } from './catalog.js';
export { CatalogModule } from './catalog.module.js';
export { MAX_PLAN_AMOUNT } from './plans/amount.js';
export {
  AGGREGATION_TYPES,
  METER_AGGREGATION_TYPES,
  readMeterAggregation,
  readMetricAggregation,
} from './metrics/aggregation.js';
export { CreateMetric } from './metrics/commands/create-metric.js';
export { DeleteMetric } from './metrics/commands/delete-metric.js';
export { UpdateMetric } from './metrics/commands/update-metric.js';
export type { MetricDetails, MetricEvent } from './metrics/events.js';
export { currentMetricVersion, metricDecider, metricNameIn, type Metric } from './metrics/metric.js';
export { presentMetric } from './metrics/present.js';
export {
  presentBillingThresholds,
  readBillingThresholds,
  type BillingThresholds,
} from './plans/billing-thresholds.js';
export { ChangePlan } from './plans/commands/change-plan.js';
export { CreatePlan } from './plans/commands/create-plan.js';
export { RestorePlanVersion } from './plans/commands/restore-plan-version.js';
export { UpdatePlan } from './plans/commands/update-plan.js';
export { PLAN_VISIBILITIES, type PlanDetails, type PlanEvent, type PlanVisibility } from './plans/events.js';
export {
  FEATURE_FIELD_LIMITS,
  FEATURE_RESETS,
  FEATURE_TYPES,
  MAX_FEATURES,
  type FeatureType,
  type PlanFeature,
} from './plans/plan-features.js';
export { MAX_PRICES, MAX_TRIAL_DAYS } from './plans/plan-input.js';
export { planDecider, planVersion, type Plan, type PlanState, type PlanVersion } from './plans/plan.js';
export { PLAN_VERSION_STATUSES, presentPlan, presentPlanVersion } from './plans/present.js';
export { CreatePrice } from './prices/commands/create-price.js';
export { DeletePrice } from './prices/commands/delete-price.js';
export { UpdatePrice } from './prices/commands/update-price.js';
export type { PriceDetails, PriceEvent } from './prices/events.js';
export { presentPrice } from './prices/present.js';
export { readPriceChanges, readPriceConfig } from './prices/price-input.js';
export { currentPriceVersion, priceDecider, type Price, type PriceState } from './prices/price.js';
