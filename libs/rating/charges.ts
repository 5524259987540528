import type { DecimalString, Instant } from '#libs/core';
import { isRecurring, MONTHS, type Cadence, type RecurringCadence, type Timing } from './cadence.js';
import { boundary, lengthOf, periodAt, periodOf, type Anchor, type Period } from './periods.js';
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

/** A price that a subscription is charged. */
export interface ChargedItem {
  readonly price: PriceSnapshot;
  /** Units of a fee. A metered price's quantity is measured. */
  readonly quantity: DecimalString;
  /** From when it is charged in arrears: what was before is billed, or free. */
  readonly since: Instant;
  /** The invoices that charged a part of what was used since then before the period was over; absent: none. */
  readonly invoicedBy?: readonly string[];
}

/** What decides when a subscription is charged for what. */
export interface SubscriptionTerms extends Anchor {
  /** The cadence of its periods: the shortest of its prices, see {@link billingInterval}. */
  readonly billingInterval: RecurringCadence;
  readonly items: readonly ChargedItem[];
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
  /** On usage that is charged before its period is over, and charged as a whole when it is. */
  readonly progressive?: true;
  /** The invoices that charged usage of `service` so, which this one leaves out; absent: none. */
  readonly invoicedBy?: readonly string[];
}

/** How much of a fee that was billed for its period can be given back. */
export interface Refund {
  /** What was billed for the period less what has been given back of it before. */
  readonly atMost: DecimalString;
  /** What coupons took off it: its share is not given back. */
  readonly discount?: DecimalString;
  /** The invoice that it was billed on. */
  readonly invoiceId?: string;
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

/** A billing period with its number, counted from the anchor. */
export interface NumberedPeriod extends Period {
  readonly index: number;
}

/** The period that begins at `start`: up to the next boundary, so a part of the anchored one if it does not start there. */
export function periodFrom(anchor: Anchor, interval: RecurringCadence, start: Instant): NumberedPeriod {
  const { index, end } = periodAt(anchor, interval, start);
  return { index, start, end };
}

/**
 * What is due in advance when a subscription begins (or begins anew) with `period`: the rest of each price's own period. What
 * is charged once is another matter, and nothing is in arrears yet.
 */
export function openingCharges(terms: SubscriptionTerms, { index, start }: NumberedPeriod): Charge[] {
  return terms.items.flatMap((item) => {
    const cadence = cadenceOf(terms, item);
    if (cadence === 'one_time' || item.price.timing === 'in_arrears') return [];
    const period = periodOf(terms, cadence, ownIndex(terms, cadence, index));
    return [{ price: item.price, service: { start, end: period.end }, period, ...unitsOf(item) }];
  });
}

/** The prices that are charged once, whatever their timing. */
export function oneTimeCharges(items: readonly ChargedItem[], at: Instant): Charge[] {
  const instant = { start: at, end: at };
  return items
    .filter(({ price }) => price.cadence === 'one_time')
    .map((item) => ({ price: item.price, service: instant, period: instant, ...unitsOf(item) }));
}

/**
 * What is due at boundary `k` of a subscription that goes on beyond it, in the order of its prices: in advance, the period
 * that starts there; in arrears, the one that ends there. A price with a longer cadence than the billing interval is due
 * only where its own period starts or ends.
 */
export function chargesDue(terms: SubscriptionTerms, k: number): Charge[] {
  return terms.items.flatMap((item) => {
    const cadence = cadenceOf(terms, item);
    if (cadence === 'one_time' || !startsAt(terms, cadence, k)) return [];
    const own = ownIndex(terms, cadence, k);
    if (item.price.timing === 'in_arrears')
      return arrears(item, periodOf(terms, cadence, own - 1), boundary(terms, cadence, own));
    const period = periodOf(terms, cadence, own);
    return [{ price: item.price, service: period, period, ...unitsOf(item) }];
  });
}

/**
 * What is due when items end at `endsAt`, within billing period `k` or at its end, in place of {@link chargesDue} if that is
 * a boundary: in arrears, up to the end. What was paid in advance is another matter.
 */
export function closingCharges(terms: SubscriptionTerms, k: number, endsAt: Instant): Charge[] {
  return terms.items.flatMap((item) => {
    const cadence = cadenceOf(terms, item);
    if (cadence === 'one_time' || item.price.timing === 'in_advance') return [];
    return arrears(item, periodOf(terms, cadence, ownIndex(terms, cadence, k)), endsAt);
  });
}

/** A charge in arrears up to `end`, unless that has been charged. */
function arrears(item: ChargedItem, period: Period, end: Instant): Charge[] {
  const start = item.since > period.start ? item.since : period.start;
  const service = { start, end };
  const length = lengthOf(service);
  const { price, invoicedBy } = item;
  // What was used at the very instant at which it ends has been charged for nothing, and is given back.
  if (length < 0 || (length === 0 && invoicedBy === undefined)) return [];
  return [{ price, service, period, ...unitsOf(item), ...(invoicedBy ? { invoicedBy } : {}) }];
}

function unitsOf({ price, quantity }: ChargedItem): { quantity?: DecimalString } {
  return price.metricId !== null || quantity === '1' ? {} : { quantity };
}

/** Whether a period of the cadence starts at boundary `k` of the billing interval, which divides every other cadence. */
function startsAt(terms: SubscriptionTerms, cadence: RecurringCadence, k: number): boolean {
  return (k * MONTHS[terms.billingInterval]) % MONTHS[cadence] === 0;
}

function ownIndex(
  { billingInterval: interval }: SubscriptionTerms,
  cadence: RecurringCadence,
  k: number,
): number {
  return Math.floor((k * MONTHS[interval]) / MONTHS[cadence]);
}

function cadenceOf(
  { billingInterval: interval }: SubscriptionTerms,
  { price }: Pick<ChargedItem, 'price'>,
): RecurringCadence | 'one_time' {
  return price.cadence === 'usage_based' ? interval : price.cadence;
}
