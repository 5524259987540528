import { readMeterAggregation } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import type { MeterAggregation } from '#libs/usage';
import type { EventQueryBody } from './event-query.dto.js';

const FIELDS = ['type', 'property'];

/**
 * Returns the aggregation of an ad-hoc query, checked by the same rules as the aggregation of a metric. A query has its filter and its
 * grouping beside the aggregation. A metric has them in the aggregation.
 */
export function readQueryAggregation({ aggregation, filter, groupBy }: EventQueryBody): MeterAggregation {
  const other = Object.keys(aggregation).find((field) => !FIELDS.includes(field));
  if (other !== undefined)
    throw InvalidRequest.field(
      `aggregation.${other}`,
      'is not a field of aggregation in this request; send filter and groupBy beside aggregation',
    );
  try {
    return readMeterAggregation({ ...aggregation, filter, groupBy });
  } catch (error) {
    if (!(error instanceof InvalidRequest) || !error.details) throw error;
    const details = error.details.map(({ field, message }) => ({
      field: field.replace(/^aggregation\.(filter|groupBy)$/, '$1'),
      message,
    }));
    const message = details.map((detail) => `${detail.field} ${detail.message}`).join('; ');
    throw new InvalidRequest(error.code, message, details);
  }
}
