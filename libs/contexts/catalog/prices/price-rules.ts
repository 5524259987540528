import type { FieldError } from '#libs/kernel/core';
import { chargeKindOf, type PriceConfig } from '#libs/rating';
import type { Aggregation } from '#libs/usage';
import { invalidFieldsError } from '../details.js';
import { currentMetricVersion, type Metric } from '../metrics/metric.js';
import type { PriceDetails } from './events.js';

/** Checks the rules between the fields of a price. Throws an InvalidRequest that names every field that breaks a rule. */
export function checkPrice({ metricId, config, cadence, timing, licenseTypeId }: PriceDetails): void {
  const errors: FieldError[] = [];
  const isLicense = config.model === 'license';
  if (isLicense && licenseTypeId === null)
    errors.push({ field: 'licenseTypeId', message: 'is required for a price of the model license' });
  if (!isLicense && licenseTypeId !== null)
    errors.push({ field: 'licenseTypeId', message: 'is only for a price of the model license' });
  if (metricId === null) {
    if (chargeKindOf(config) === 'metric')
      errors.push({ field: 'metricId', message: `is required for the model ${config.model}` });
    else if (cadence === 'usage_based')
      errors.push({
        field: 'metricId',
        message: 'is required for the cadence usage_based; a fee is monthly, quarterly, annual or one_time',
      });
    if (config.includedUnitsShared)
      errors.push({
        field: 'config.includedUnitsShared',
        message: 'must be left out of a fee: only the usage of a metric has groups that share units',
      });
  } else {
    if (chargeKindOf(config) === 'fee')
      errors.push({
        field: 'metricId',
        message: `must be left out: the model ${config.model} charges the same amount for any usage`,
      });
    if (cadence === 'one_time')
      errors.push({
        field: 'cadence',
        message: 'must not be one_time for a metric, whose usage is charged by period',
      });
    if (timing === 'in_advance')
      errors.push({
        field: 'timing',
        message: 'must be in_arrears for a metric: usage is known when its period is over',
      });
  }
  if (errors.length > 0) throw invalidFieldsError(errors);
}

/** Tells whether the allowed content of the config depends on the metric. */
export function configDependsOnMetric({ model }: PriceConfig): boolean {
  return model === 'matrix' || model === 'percentage';
}

/**
 * Checks the rules between a price and the current version of its metric. Throws an InvalidRequest that names the field that breaks a rule.
 * A later change of the metric that would break a rule is refused.
 */
export function checkMetricOfPrice({ config }: Pick<PriceDetails, 'config'>, metric: Metric): void {
  const problem = metricProblem(config, currentMetricVersion(metric).aggregation);
  if (problem) throw invalidFieldsError([problem]);
}

/** Returns why a price with this config cannot charge for a metric with this aggregation; undefined if it can. */
export function metricProblem(
  config: PriceConfig,
  { type, groupBy = [] }: Aggregation,
): FieldError | undefined {
  if (config.model === 'percentage' && type !== 'sum')
    return {
      field: 'metricId',
      message: 'must be of a metric with the aggregation sum, for a percentage of it',
    };
  const missing = config.model === 'matrix' ? config.dimensions.filter((one) => !groupBy.includes(one)) : [];
  if (missing.length === 0) return undefined;
  return {
    field: 'config.dimensions',
    message: `must be properties that the metric groups by: ${missing.join(' and ')} is not among its groupBy`,
  };
}
