import {
  Decimal,
  decimalString,
  InvalidRequest,
  NotFound,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { MetricDefinition } from '#libs/usage';
import { isChargeable } from '../credit-types/chargeable-metric.js';
import { rateInForceAt, ratesOf, type CreditType } from '../credit-types/credit-type.js';

/** A client's question whether a wallet has enough credits. The client asks the question before its customer uses something. */
export interface WalletCheckRequest {
  readonly creditType?: string | undefined;
  readonly eventName?: string | undefined;
  /** The number of units that the event would add to a metric. */
  readonly quantity?: DecimalString | undefined;
  /** The number of credits that the use costs. With an amount, `quantity` is ignored. */
  readonly amount?: DecimalString | undefined;
}

/** The credits that a request needs, and the type of these credits. `required` is null if the request has no amount and no quantity. */
export interface RequiredCredits {
  readonly type: CreditType;
  readonly required: DecimalString | null;
}

/** The data that decides what a workspace's events cost: its credit types, and its metrics in force. */
export interface ChargingRules {
  readonly creditTypes: readonly CreditType[];
  readonly metrics: readonly MetricDefinition[];
}

/**
 * Returns the credits that a request needs at an instant. The properties of a future event are not known, so rate groups are ignored. If
 * the request names no credit type, the credit type that charges the event is used, or the only credit type of the workspace. Throws
 * NotFound for an unknown credit type. Throws InvalidRequest if the request does not determine one credit type. Throws InvalidRequest also
 * for a `quantity` without `eventName`, if the credit type charges events of no name or of several names. If several metrics charge the
 * event, their costs are added. If `creditType` is given and no rate in it charges the event, the cost is zero.
 */
export function requiredCredits(
  rules: ChargingRules,
  request: WalletCheckRequest,
  at: Instant,
): RequiredCredits {
  const type = typeOf(rules, request, at);
  const { amount, quantity } = request;
  if (amount !== undefined) return { type, required: amount };
  if (quantity === undefined) return { type, required: null };
  const perUnit = costPerUnit(rules, type, request, at);
  return { type, required: decimalString(perUnit.mul(quantity)) };
}

function typeOf(
  { creditTypes, metrics }: ChargingRules,
  { creditType, eventName }: WalletCheckRequest,
  at: Instant,
) {
  if (creditType !== undefined) {
    const found = creditTypes.find((type) => type.creditType === creditType);
    if (!found) throw NotFound.of('credit type', creditType);
    return found;
  }
  const candidates =
    eventName === undefined
      ? creditTypes
      : creditTypes.filter((type) => costsOf(metrics, type, eventName, at).length > 0);
  const [only, ...others] = candidates;
  if (only && others.length === 0) return only;
  if (!only && eventName !== undefined && creditTypes.length > 0)
    throw InvalidRequest.field(
      'eventName',
      `no rate charges events named "${eventName}"; use the name of an event that costs credits`,
    );
  const of = eventName === undefined ? 'the workspace has' : `the event name "${eventName}" is charged in`;
  throw InvalidRequest.field(
    'creditType',
    only
      ? `is required, because ${of} several: ${candidates.map((type) => type.creditType).join(', ')}`
      : `is required, because ${of} none`,
  );
}

function costPerUnit(
  { metrics }: ChargingRules,
  type: CreditType,
  { eventName }: WalletCheckRequest,
  at: Instant,
): Decimal {
  if (eventName !== undefined)
    return costsOf(metrics, type, eventName, at).reduce((sum, cost) => sum.plus(cost), new Decimal(0));
  const names = new Set(metrics.map((metric) => metric.eventName));
  const charged = [...names].filter((name) => costsOf(metrics, type, name, at).length > 0);
  if (charged.length !== 1)
    throw InvalidRequest.field(
      'eventName',
      charged.length === 0
        ? `cannot be found: no metric has a rate in ${type.creditType}; ask with amount`
        : `is required with quantity, because the rate depends on it (${charged.join(', ')})`,
    );
  return costPerUnit({ metrics, creditTypes: [type] }, type, { eventName: charged[0] }, at);
}

/** Returns the cost of one unit for each chargeable metric that counts events of this name. */
function costsOf(
  metrics: readonly MetricDefinition[],
  type: CreditType,
  eventName: string,
  at: Instant,
): DecimalString[] {
  return metrics.flatMap((metric) => {
    if (metric.eventName !== eventName || !isChargeable(metric.aggregation)) return [];
    return rateInForceAt(ratesOf(type, metric.metricId), at)?.creditsPerUnit ?? [];
  });
}
