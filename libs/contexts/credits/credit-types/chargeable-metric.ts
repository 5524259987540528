import type { Aggregation, MeterAggregation } from '#libs/usage';

/**
 * Whether each event of a metric can cost credits by itself. The quantity of a `count` or `sum` metric grows by a number that each event
 * has. The quantities of other metrics depend on several events, so their units cost nothing, even if a rate was added before.
 */
export function isChargeable(aggregation: Aggregation): aggregation is MeterAggregation {
  return aggregation.type === 'count' || aggregation.type === 'sum';
}
