import { Decimal, jsonNumbers, parseJson } from '#libs/kernel/core';
import {
  computeInvoice,
  evaluatePrice,
  chargesOwed,
  parsePriceConfig,
  type ItemToCharge,
  type ComputedInvoice,
  type MeasuredUsage,
  type PriceConfig,
  type PriceSnapshot,
  type SubscriptionTerms,
  type ChargeTiming,
} from '#libs/rating';
import { measureSample, type MeterAggregation } from '#libs/usage';
import { instantOf } from './instants.ts';
import { requireValue } from './require-value.ts';

interface Tier {
  up_to: string | null;
  unit_price?: string;
  flat_fee?: string;
}

/** A price of a case, and what binds its total. */
export interface GoldenPrice {
  model: string;
  amount?: string;
  unit_price?: string;
  tiers?: Tier[];
  package_size?: string;
  package_price?: string;
  free_units?: string;
  /** A package that is not full costs a whole one: no other way is known. */
  partial_package?: 'round_up';
  rate_percent?: string;
  fixed_fee_per_event?: string;
  free_events?: number;
  free_amount?: string;
  min_per_event?: string;
  max_per_event?: string;
}

interface Bounds {
  currency: string;
  min_spend?: string;
  max_spend?: string;
}

/**
 * The price as the API takes it, with exact numbers. The API demands an open last tier, which prices like one with a bound up
 * to there; so the last bound is left out.
 */
export function configOf(price: GoldenPrice, { currency, min_spend, max_spend }: Bounds): object {
  const { model, tiers, free_events, unit_price, package_size, package_price, free_units, ...rest } = price;
  requireValue('partial_package', rest.partial_package, 'round_up');
  return {
    model,
    currency,
    ...jsonNumbers({
      amount: rest.amount,
      unitPrice: unit_price,
      packageSize: package_size,
      packagePrice: package_price,
      freeUnits: free_units,
      rate: rest.rate_percent,
      fixedFee: rest.fixed_fee_per_event,
      freeAmount: rest.free_amount,
      minimumPerEvent: rest.min_per_event,
      maximumPerEvent: rest.max_per_event,
      minimumAmount: min_spend,
      maximumAmount: max_spend,
    }),
    ...(free_events === undefined ? {} : { freeEvents: free_events }),
    ...(tiers === undefined ? {} : { tiers: tiers.map(tierOf) }),
  };
}

function tierOf({ up_to, unit_price, flat_fee }: Tier, i: number, tiers: Tier[]): object {
  const isLast = i === tiers.length - 1;
  const { upTo = null } = jsonNumbers({ upTo: isLast ? undefined : (up_to ?? undefined) });
  return { upTo, ...jsonNumbers({ unitPrice: unit_price, flatAmount: flat_fee }) };
}

function readConfig(price: GoldenPrice, bounds: Bounds): PriceConfig {
  const result = parsePriceConfig(parseJson(JSON.stringify(configOf(price, bounds))));
  if (result.ok) return result.config;
  throw new Error(result.errors.map(({ field, message }) => `${field} ${message}`).join('; '));
}

export interface PriceCase extends Bounds {
  price: GoldenPrice;
  quantity?: string;
  event_amounts?: string[];
  timing?: ChargeTiming;
}

export function price(given: PriceCase) {
  const { quantity, event_amounts: eventAmounts, timing } = given;
  const config = readConfig(given.price, given);
  const { amount, unrounded } = evaluatePrice(
    config,
    eventAmounts ? { eventAmounts } : { quantity: quantity ?? '0' },
  );
  return { amount: timing === undefined ? amount : dueAt(timing, config, quantity ?? '1'), unrounded };
}

/** What a subscription to a fee is charged for a month: as the month begins, or as it ends. */
function dueAt(timing: ChargeTiming, config: PriceConfig, quantity: string): string {
  const item: ItemToCharge = { price: feeOf(config, timing), quantity, since: month.start };
  const terms: SubscriptionTerms = {
    anchor: month.start,
    timezone: 'UTC',
    billingInterval: 'monthly',
    items: [item],
  };
  const charges = chargesOwed(terms, item, timing === 'in_advance' ? month.start : month.end);
  return computeInvoice({ invoiceId: 'invoice', currency: config.currency, charges }).subtotal;
}

export interface AggregateCase extends Bounds {
  metric: {
    aggregation: { type: MeterAggregation['type']; property?: string; groupBy?: string[] };
    filter?: { property: string; equals?: string | number | boolean; in?: (string | number | boolean)[] };
    groupBy?: string[];
  };
  price: GoldenPrice;
  period: { start: string; end: string };
  events: { timestamp: string; properties: Record<string, unknown>; idempotencyKey?: string }[];
}

/** The metric's aggregation as the API takes it. */
export function aggregationOf({ aggregation, filter, groupBy }: AggregateCase['metric']): MeterAggregation {
  return {
    ...aggregation,
    ...(filter ? { filter: { [filter.property]: filter.in ?? filter.equals ?? [] } } : {}),
    ...(groupBy ? { groupBy } : {}),
  };
}

export function aggregate(given: AggregateCase) {
  const aggregation = aggregationOf(given.metric);
  const { groupBy = [] } = aggregation;
  const events = given.events.map((event) => ({ ...event, timestamp: instantOf(event.timestamp) }));
  const { groups } = measureSample(aggregation, events, {
    start: instantOf(given.period.start),
    end: instantOf(given.period.end),
  });
  const usage = {
    metricVersion: 1,
    groupBy,
    groups: groups.map(({ key, quantity }) => ({ values: key, quantity, watermark: '0' })),
  };
  const { lines, subtotal } = invoiceOf(readConfig(given.price, given), usage);
  const byGroup = lines.map(({ group, quantity, amount }) => [group, { quantity, amount }] as const);
  return {
    quantity: Decimal.sum(0, ...groups.map(({ quantity }) => quantity)).toFixed(),
    amount: subtotal,
    ...(groupBy.length > 0 ? { groups: Object.fromEntries(byGroup) as object } : {}),
  };
}

const month = { start: '2024-03-01T00:00:00.000Z', end: '2024-04-01T00:00:00.000Z' };

const feeOf = (config: PriceConfig, timing: ChargeTiming): PriceSnapshot => ({
  priceId: 'price',
  version: 1,
  name: 'Price',
  config,
  cadence: 'monthly',
  timing,
  metricId: null,
});

/** The invoice of a month with this price alone. */
function invoiceOf(config: PriceConfig, usage: MeasuredUsage | undefined): ComputedInvoice {
  const price: PriceSnapshot = {
    ...feeOf(config, 'in_arrears'),
    ...(usage ? { cadence: 'usage_based', metricId: 'metric' } : {}),
  };
  const charge = { price, service: month, period: month, ...(usage ? { usage } : {}) };
  return computeInvoice({ invoiceId: 'invoice', currency: config.currency, charges: [charge] });
}
