import type { DecimalString, Instant, NameTranslations } from '#libs/kernel/core';
import {
  isRecurring,
  MONTHS_PER_PERIOD,
  type Cadence,
  type RecurringCadence,
  type ChargeTiming,
} from './cadence.js';
import { periodContaining, type PeriodAnchor, type Period } from './periods.js';
import type { PriceConfig } from './pricing/index.js';
import { divideAtPeriodBoundaries } from './proration.js';

/** One version of a price, as a subscription stores it. */
export interface PriceSnapshot {
  readonly priceId: string;
  readonly version: number;
  readonly name: string;
  /** The name in other languages. Absent if there are none, and in data of earlier versions. */
  readonly nameTranslations?: NameTranslations;
  readonly config: PriceConfig;
  readonly cadence: Cadence;
  readonly timing: ChargeTiming;
  /** The metric whose usage is charged. Null for a fee. */
  readonly metricId: string | null;
  /** The license type whose seats are charged. Set only for a `license` price. */
  readonly licenseTypeId?: string;
  /**
   * The tax rates of lines with this price, instead of the invoice's rates. An empty list means that the line is not taxed. If absent, the
   * invoice's tax rates apply.
   */
  readonly taxRateIds?: readonly string[];
}

/** A price that a subscription has to pay. */
export interface ItemToCharge {
  readonly price: PriceSnapshot;
  /** The units of a fee. For a metered price, `quantity` has no meaning, because the quantity is measured. */
  readonly quantity: DecimalString;
  /** The instant from which the item is still to be charged. The time before `since` is already billed, or is free. */
  readonly since: Instant;
  /** The invoices that charged a part of this usage before the end of the period. Absent if there are none. */
  readonly invoicedBy?: readonly string[];
}

/** The terms of a subscription that decide when it is charged. */
export interface SubscriptionTerms extends PeriodAnchor {
  /** The cadence of the billing periods; see {@link billingIntervalOf}. */
  readonly billingInterval: RecurringCadence;
  readonly items: readonly ItemToCharge[];
}

/** A price that is due for a time range. */
export interface Charge {
  readonly price: PriceSnapshot;
  /** The time range for which the price is charged. For a one-time charge, start and end are the same instant. */
  readonly service: Period;
  /** The price's full period. The service period is all or a part of the price's full period. */
  readonly period: Period;
  /** The units of a fee. If absent, it is one. The quantity of a metered price is not set, because it is measured. */
  readonly quantity?: DecimalString;
  /** The line that charged the fee. `refund` is set only if the fee is given back for `service` instead of charged. */
  readonly refund?: EarlierFeeLine;
  /** True for usage that is charged before the end of its period. At the end of the period, the usage of the whole period is charged. */
  readonly progressive?: true;
  /**
   * The invoices that charged usage of `service` before the end of its period. The present invoice deducts the charges of these earlier
   * invoices. Absent if there are none.
   */
  readonly invoicedBy?: readonly string[];
}

/**
 * The earlier line that charged a fee, which is now given back. The remaining amount of the fee is looked up when the invoice is created.
 */
export interface EarlierFeeLine {
  /** The invoice that charged the fee. */
  readonly invoiceId: string;
  /** The time range for which the earlier line charged the fee. */
  readonly service: Period;
}

/**
 * The interval at which a subscription is billed. The billing interval is the shortest recurring cadence among the subscription's prices.
 * The billing interval is monthly if all prices are usage-based or one-time.
 */
export function billingIntervalOf(prices: readonly Pick<PriceSnapshot, 'cadence'>[]): RecurringCadence {
  const recurring = prices.map((price) => price.cadence).filter(isRecurring);
  return (
    recurring.reduce<RecurringCadence | undefined>(
      (shortest, cadence) =>
        shortest === undefined || MONTHS_PER_PERIOD[cadence] < MONTHS_PER_PERIOD[shortest]
          ? cadence
          : shortest,
      undefined,
    ) ?? 'monthly'
  );
}

/** A billing period with its number, which is counted from the anchor. */
export interface NumberedPeriod extends Period {
  readonly index: number;
}

/**
 * The period that begins at `start` and ends at the next boundary. If `start` is not a boundary, the returned period is only a part of a
 * whole period.
 */
export function periodFrom(anchor: PeriodAnchor, interval: RecurringCadence, start: Instant): NumberedPeriod {
  const { index, end } = periodContaining(anchor, interval, start);
  return { index, start, end };
}

/**
 * Returns the charges that an item owes from its `since` on, one charge for each period of the item. For a fee in advance that continues,
 * charges are owed up to the end of the period that contains `at`. For usage, and for a fee in arrears that continues, charges are owed up
 * to the last period end not after `at`. For an item that ends at `at`, charges are owed up to `at`. One-time charges are in
 * {@link oneTimeCharges}.
 */
export function chargesOwed(
  terms: SubscriptionTerms,
  item: ItemToCharge,
  at: Instant,
  course: 'goes on' | 'ends' = 'goes on',
): Charge[] {
  const cadence = cadenceOf(terms, item);
  if (cadence === 'one_time') return [];
  const { since, price, invoicedBy } = item;
  const present = periodContaining(terms, cadence, at);
  const inAdvance = since > at ? since : present.end;
  const through = course === 'ends' ? at : isFeeInAdvance(price) ? inAdvance : present.start;
  const progressive = invoicedBy ? { invoicedBy } : {};
  // A progressive invoice may have charged usage of this very instant, for which the item owes nothing. With this charge of no length, the
  // bill can give that usage back.
  if (invoicedBy && course === 'ends' && since === at) {
    const { start, end } = present;
    return [{ price, service: { start: at, end: at }, period: { start, end }, ...progressive }];
  }
  return divideAtPeriodBoundaries(terms, cadence, { start: since, end: through }).map((segment) => ({
    price,
    ...segment,
    ...unitsOf(item),
    ...progressive,
  }));
}

/** Tells whether a price is a recurring fee that is charged in advance. */
export function isFeeInAdvance({ cadence, timing, metricId }: PriceSnapshot): boolean {
  return isRecurring(cadence) && timing === 'in_advance' && metricId === null;
}

/** Returns the charges of all one-time prices at the instant `at`, whether they are charged in advance or in arrears. */
export function oneTimeCharges(items: readonly ItemToCharge[], at: Instant): Charge[] {
  const instant = { start: at, end: at };
  return items
    .filter(({ price }) => price.cadence === 'one_time')
    .map((item) => ({ price: item.price, service: instant, period: instant, ...unitsOf(item) }));
}

function unitsOf({ price, quantity }: ItemToCharge): { quantity?: DecimalString } {
  return price.metricId !== null || quantity === '1' ? {} : { quantity };
}

function cadenceOf(
  { billingInterval: interval }: SubscriptionTerms,
  { price }: Pick<ItemToCharge, 'price'>,
): RecurringCadence | 'one_time' {
  return price.cadence === 'usage_based' ? interval : price.cadence;
}
