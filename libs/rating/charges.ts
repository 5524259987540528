import type { DecimalString, Instant } from '#libs/core';
import { isRecurring, MONTHS, type Cadence, type RecurringCadence, type Timing } from './cadence.js';
import { boundary, periodAt, periodOf, type Anchor, type Period } from './periods.js';
import type { PriceConfig } from './pricing/index.js';

/** One version of a price, as a subscription holds it. */
export interface PriceSnapshot {
  readonly priceId: string;
  readonly version: number;
  readonly name: string;
  readonly config: PriceConfig;
  readonly cadence: Cadence;
  readonly timing: Timing;
  /** The metric that it charges for; null for a fee. */
  readonly metricId: string | null;
  /** Whose seats it charges for; on a `license` price. */
  readonly licenseTypeId?: string;
}

/** What decides when a subscription is charged for what. It starts at the anchor, which is boundary 0. */
export interface SubscriptionTerms extends Anchor {
  readonly prices: readonly PriceSnapshot[];
  /** How many units of a fee there are, by price; one of those that are not named. */
  readonly quantities?: Readonly<Record<string, DecimalString>>;
}

/** A price that is due for a stretch of time. */
export interface Charge {
  readonly price: PriceSnapshot;
  /** What is charged for. A one-time charge is a single instant: start and end are the same. */
  readonly service: Period;
  /** The price's full period that `service` is all or a part of. */
  readonly period: Period;
  /** Units of a fee; absent: one. A metered price's quantity is measured. */
  readonly quantity?: DecimalString;
  /** On a fee that is given back for `service`, instead of charged. */
  readonly refund?: Refund;
}

/** How much of a fee that was billed for its period can be given back. */
export interface Refund {
  /** What was billed for the period less what has been given back of it before. */
  readonly atMost: DecimalString;
  /** What coupons took off it: its share is not given back. */
  readonly discount?: DecimalString;
}

/**
 * How often the subscription is billed: the shortest recurring cadence among its prices, monthly if it has none
 * (usage-based and one-time prices alone).
 */
export function billingInterval(prices: readonly Pick<PriceSnapshot, 'cadence'>[]): RecurringCadence {
  const recurring = prices.map((price) => price.cadence).filter(isRecurring);
  return (
    recurring.reduce<RecurringCadence | undefined>(
      (shortest, cadence) =>
        shortest === undefined || MONTHS[cadence] < MONTHS[shortest] ? cadence : shortest,
      undefined,
    ) ?? 'monthly'
  );
}

/**
 * What is due at boundary `k` (0 is the start) of a subscription that goes on beyond it, in the order of its prices:
 * in advance, the period that starts there; in arrears, the one that ends there; once, at the start, a one-time
 * price whatever its timing. A price with a longer cadence is due only where its own period starts or ends.
 */
export function chargesDue(terms: SubscriptionTerms, k: number): Charge[] {
  const interval = billingInterval(terms.prices);
  return terms.prices.flatMap((price) => {
    const cadence = cadenceOf(price, interval);
    if (cadence === 'one_time') return k === 0 ? [oneTime(terms, price)] : [];
    const months = k * MONTHS[interval];
    if (months % MONTHS[cadence] !== 0) return [];
    const own = months / MONTHS[cadence] - (price.timing === 'in_advance' ? 0 : 1);
    if (own < 0) return [];
    const period = periodOf(terms, cadence, own);
    return [{ price, service: period, period, ...unitsOf(terms, price) }];
  });
}

/**
 * What is still due when a subscription ends at `endsAt`, in place of {@link chargesDue} if it ends on a boundary:
 * the periods in arrears that were not over before, up to the end. What was paid in advance stays paid.
 */
export function closingCharges(terms: SubscriptionTerms, endsAt: Instant): Charge[] {
  const interval = billingInterval(terms.prices);
  return terms.prices.flatMap((price) => {
    const cadence = cadenceOf(price, interval);
    if (cadence === 'one_time' || price.timing === 'in_advance' || endsAt <= terms.anchor) return [];
    const at = periodAt(terms, cadence, endsAt);
    const period: Period =
      at.start === endsAt ? periodOf(terms, cadence, at.index - 1) : { start: at.start, end: at.end };
    return [{ price, service: { start: period.start, end: endsAt }, period, ...unitsOf(terms, price) }];
  });
}

function oneTime(terms: SubscriptionTerms, price: PriceSnapshot): Charge {
  const start = boundary(terms, 'monthly', 0);
  const instant = { start, end: start };
  return { price, service: instant, period: instant, ...unitsOf(terms, price) };
}

function unitsOf({ quantities = {} }: SubscriptionTerms, { priceId }: PriceSnapshot) {
  const quantity = quantities[priceId];
  return quantity === undefined ? {} : { quantity };
}

function cadenceOf(price: PriceSnapshot, interval: RecurringCadence): RecurringCadence | 'one_time' {
  return price.cadence === 'usage_based' ? interval : price.cadence;
}
