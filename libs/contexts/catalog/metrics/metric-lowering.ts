import { isDeepStrictEqual } from 'node:util';
import { changedFields, type ProposedAction } from '#libs/contexts/approvals';
import { currentPriceVersion, type Price } from '../prices/price.js';
import type { MetricDetails } from './events.js';
import type { MetricInput } from './metric-input.js';
import { currentMetricVersion, type Metric } from './metric.js';

/** The data of a change of a metric in its approval request. */
export interface HeldMetricChange {
  readonly metricId: string;
  readonly input: Partial<MetricInput>;
}

/**
 * Describes a change of what a metric measures for its approval request. Nobody can tell from the change whether customers pay less after
 * it. So each change of the events or of the aggregation counts as a lower price while a price charges for the metric. Undefined if only
 * names change, or if no price charges for the metric.
 *
 * @param before the metric without the change
 * @param after the metric with the change
 * @param prices the prices of which a version charges for the metric
 */
export function proposedMetricLowering(
  before: Metric,
  after: Metric,
  prices: readonly Price[],
  data: HeldMetricChange,
): ProposedAction | undefined {
  const [old, changed] = [currentMetricVersion(before), currentMetricVersion(after)];
  if (prices.length === 0 || !measuresOtherwise(old, changed)) return undefined;
  const shown = ({ eventName, aggregation }: MetricDetails) => ({
    eventName,
    aggregation: JSON.stringify(aggregation),
  });
  const [was, becomes] = [shown(old), shown(changed)];
  const currencies = new Set(prices.map((price) => currentPriceVersion(price).config.currency));
  const [currency] = currencies;
  return {
    customerId: null,
    resource: { type: 'metric', id: data.metricId },
    amount: null,
    currency: currencies.size === 1 ? currency! : null,
    reason: null,
    effectiveAt: null,
    lines: [],
    terms: [
      { name: 'present version', value: String(old.version), isNumber: true },
      ...Object.entries(becomes).map(([name, value]) => ({ name, value })),
      { name: 'prices', value: pricesText(prices) },
    ],
    changes: changedFields(was, becomes),
    command: { kind: 'update-metric', data },
  };
}

function measuresOtherwise(old: MetricDetails, changed: MetricDetails): boolean {
  return old.eventName !== changed.eventName || !isDeepStrictEqual(old.aggregation, changed.aggregation);
}

/** The ids of the prices, in one order each time. */
function pricesText(prices: readonly Price[]): string {
  const ids = prices.map(({ priceId }) => priceId);
  return ids.toSorted((one, other) => (one < other ? -1 : 1)).join(', ');
}
