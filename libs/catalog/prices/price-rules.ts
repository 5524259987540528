import type { FieldError } from '#libs/core';
import { mayBeMetered } from '#libs/rating';
import { invalidFields } from '../details.js';
import type { PriceDetails } from './events.js';

/** What must hold between the fields of a price. InvalidRequest names every field that does not fit. */
export function checkPrice({ metricId, config, cadence, timing }: PriceDetails): void {
  const errors: FieldError[] = [];
  if (metricId === null) {
    if (cadence === 'usage_based')
      errors.push({
        field: 'metricId',
        message: 'is required for the cadence usage_based; a fee is monthly, quarterly, annual or one_time',
      });
  } else {
    if (!mayBeMetered(config))
      errors.push({
        field: 'metricId',
        message: `must be left out: the model ${config.model} charges the same whatever is used`,
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
  if (errors.length > 0) throw invalidFields(errors);
}
