import type { DecimalString, Instant } from '#libs/kernel/core';
import { isRecurring, MONTHS, type Cadence, type RecurringCadence, type Timing } from './cadence.js';
import { periodAt, type Anchor, type Period } from './periods.js';
import type { PriceConfig } from './pricing/index.js';
import { segmentsOf } from './proration.js';

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
  /** The tax rates on the line, instead of the invoice's rates; empty if it is not taxed. Absent: the invoice's own. */
  readonly taxRateIds?: readonly string[];
}

/** A price that a subscription is charged. */
export interface ChargedItem {
  readonly price: PriceSnapshot;
  /** Units of a fee. A metered price's quantity is measured. */
  readonly quantity: DecimalString;
  /** The instant up to which the item is charged. Earlier time was billed, or is free. */
  readonly since: Instant;
  /** The invoices that charged a part of this usage before the period was over; absent: none. */
  readonly invoicedBy?: readonly string[];
}

/** The terms that decide when a subscription is charged. */
export interface SubscriptionTerms extends Anchor {
  /** The cadence of its periods: the shortest of its prices, see {@link billingInterval}. */
  readonly billingInterval: RecurringCadence;
  readonly items: readonly ChargedItem[];
}

/** A price that is due for a stretch of time. */
export interface Charge {
  readonly price: PriceSnapshot;
  /** The time that is charged for. A one-time charge is a single instant: start and end are the same. */
  readonly service: Period;
  /** The price's full period that `service` is all or a part of. */
  readonly period: Period;
  /** Units of a fee; absent: one. A metered price's quantity is measured. */
  readonly quantity?: DecimalString;
  /** On a fee that is given back for `service`, instead of charged: the line that charged it. */
  readonly refund?: Refund;
  /** On usage that is charged before its period is over, and charged as a whole when it is. */
  readonly progressive?: true;
  /** The invoices that charged usage of `service` so, which this one leaves out; absent: none. */
  readonly invoicedBy?: readonly string[];
}

/** The line that charged a fee which is given back. The rest of the fee is looked up when the invoice is made. */
export interface Refund {
  readonly invoiceId: string;
  /** The time that this line charges for. */
  readonly service: Period;
}

/**
 * The interval at which the subscription is billed. It is the shortest recurring cadence among its prices, or monthly if all prices are
 * usage-based or one-time.
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
 * Returns the charges that an item owes from its `since` until the target, divided into the item's own periods. A fee in advance that goes
 * on owes up to the end of its period that `at` lies in. A fee in arrears that goes on, and usage, owe up to the last end of a period by
 * `at`. An item that ends at `at` owes up to there. One-time charges are in {@link oneTimeCharges}.
 */
export function owed(
  terms: SubscriptionTerms,
  item: ChargedItem,
  at: Instant,
  course: 'goes on' | 'ends' = 'goes on',
): Charge[] {
  const cadence = cadenceOf(terms, item);
  if (cadence === 'one_time') return [];
  const { since, price, invoicedBy } = item;
  const present = periodAt(terms, cadence, at);
  const inAdvance = since > at ? since : present.end;
  const through = course === 'ends' ? at : isPrepaid(price) ? inAdvance : present.start;
  const progressive = invoicedBy ? { invoicedBy } : {};
  // A progressive invoice may have charged usage of this very instant. The item owes nothing for it: the empty charge lets the bill give it
  // back.
  if (invoicedBy && course === 'ends' && since === at) {
    const { start, end } = present;
    return [{ price, service: { start: at, end: at }, period: { start, end }, ...progressive }];
  }
  return segmentsOf(terms, cadence, { start: since, end: through }).map((segment) => ({
    ...{ price, ...segment },
    ...unitsOf(item),
    ...progressive,
  }));
}

/** Tells whether it is a recurring fee that is charged in advance. */
export function isPrepaid({ cadence, timing, metricId }: PriceSnapshot): boolean {
  return isRecurring(cadence) && timing === 'in_advance' && metricId === null;
}

/** The prices that are charged once, whatever their timing. */
export function oneTimeCharges(items: readonly ChargedItem[], at: Instant): Charge[] {
  const instant = { start: at, end: at };
  return items
    .filter(({ price }) => price.cadence === 'one_time')
    .map((item) => ({ price: item.price, service: instant, period: instant, ...unitsOf(item) }));
}

function unitsOf({ price, quantity }: ChargedItem): { quantity?: DecimalString } {
  return price.metricId !== null || quantity === '1' ? {} : { quantity };
}

function cadenceOf(
  { billingInterval: interval }: SubscriptionTerms,
  { price }: Pick<ChargedItem, 'price'>,
): RecurringCadence | 'one_time' {
  return price.cadence === 'usage_based' ? interval : price.cadence;
}
