import { cutToMillis, Decimal } from '#libs/kernel/core';
import type { OveragePolicy } from '#libs/rating';
import {
  createContribution,
  propertyReader,
  scalarText,
  type ClaimingEvent,
  type MeterAggregation,
  type MetricDefinition,
} from '#libs/usage';
import { isChargeable } from '../credit-types/chargeable-metric.js';
import { rateInForceAt, ratesOf, type AddedRate, type CreditType } from '../credit-types/credit-type.js';

/** The credits of one type that an event costs because of one metric. */
export interface CreditClaim {
  readonly creditType: string;
  readonly metricId: string;
  readonly credits: Decimal;
  readonly overage: OveragePolicy;
}

/** The terms of a credit type that decide what events cost. */
export type ChargingTerms = Pick<CreditType, 'creditType' | 'overage' | 'rates'>;

/**
 * The number of digits after the point to which the cost of an event is rounded. A rate has at most as many digits after the point, so the
 * cost of one unit is never rounded.
 */
const COST_DIGITS = 15;

/**
 * Returns a function that finds the credits that an event costs. If no event of the workspace costs credits, the result is undefined
 * instead of a function. The rate that applies is the rate in force at the event's `timestamp`. Only `count` and `sum` metrics can cost
 * credits.
 *
 * @param metrics the metrics in force of the workspace
 */
export function createCreditClaimFinder(
  creditTypes: readonly ChargingTerms[],
  metrics: readonly MetricDefinition[],
): ((event: ClaimingEvent) => CreditClaim[] | undefined) | undefined {
  const byName = new Map<string, CostOfMetric[]>();
  for (const { eventName, metricId, aggregation } of metrics) {
    if (!isChargeable(aggregation)) continue;
    for (const terms of creditTypes) {
      const rates = ratesOf(terms, metricId);
      if (rates.length === 0) continue;
      const costs = byName.get(eventName) ?? [];
      costs.push(costOfMetric(terms, metricId, aggregation, rates));
      byName.set(eventName, costs);
    }
  }
  if (byName.size === 0) return undefined;
  return (event) => {
    const claims = (byName.get(event.eventName) ?? []).flatMap((cost) => cost(event) ?? []);
    return claims.length > 0 ? claims : undefined;
  };
}

type CostOfMetric = (event: ClaimingEvent) => CreditClaim | undefined;

function costOfMetric(
  { creditType, overage }: ChargingTerms,
  metricId: string,
  aggregation: MeterAggregation,
  rates: readonly AddedRate[],
): CostOfMetric {
  const contributionOf = createContribution(aggregation);
  const costs = rates.map((rate) => ({ effectiveAt: rate.effectiveAt, perUnit: costPerUnit(rate) }));
  return ({ timestamp, properties }) => {
    // Rates begin at whole milliseconds, so finer digits do not change which rate applies.
    const at = cutToMillis(timestamp);
    const rate = rateInForceAt(costs, at);
    if (!rate) return undefined;
    const contribution = contributionOf(properties);
    if (contribution.kind !== 'counted') return undefined;
    const credits = rate.perUnit(properties).mul(contribution.value).toDecimalPlaces(COST_DIGITS);
    // An event with a quantity below zero, such as a correction, gives no credits back.
    return credits.gt(0) ? { creditType, metricId, credits, overage } : undefined;
  };
}

/** Returns a function that finds the cost of one unit of an event. The first rate group that matches the event's properties applies. */
function costPerUnit({
  creditsPerUnit,
  groups,
}: AddedRate): (properties: ClaimingEvent['properties']) => Decimal {
  const byDefault = new Decimal(creditsPerUnit);
  const matchers = groups.map(({ when, creditsPerUnit: cost }) => ({
    cost: new Decimal(cost),
    values: Object.entries(when).map(([path, value]) => ({ read: propertyReader(path), value })),
  }));
  return (properties) =>
    matchers.find(({ values }) => values.every(({ read, value }) => scalarText(read(properties)) === value))
      ?.cost ?? byDefault;
}
