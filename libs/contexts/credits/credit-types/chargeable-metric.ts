import type { Aggregation, MeterAggregation } from '#libs/usage';

/**
 * Whether each event of a metric can cost credits by itself. Each event adds a number of its own to the quantity of a `count` or `sum`
 * metric. The quantities of other metrics depend on several events. The units of these metrics cost nothing, even if a rate was added
 * before.
 */
export function isChargeable(aggregation: Aggregation): aggregation is MeterAggregation {
  return aggregation.type === 'count' || aggregation.type === 'sum';
}
