import type { Aggregation, MeterAggregation } from '#libs/usage';

/**
 * Tells whether a single event of a metric can cost credits. Each event of a `count` or `sum` metric adds a known number to the quantity.
 * The quantities of other metrics depend on several events. Units of such other metrics cost no credits, even if a rate was added before
 * the metric's aggregation was changed.
 */
export function isChargeable(aggregation: Aggregation): aggregation is MeterAggregation {
  return aggregation.type === 'count' || aggregation.type === 'sum';
}
