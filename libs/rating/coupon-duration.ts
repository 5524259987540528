import type { Instant } from '#libs/kernel/core';
import { instantOfLocalTime, localTime } from './local-time.js';

/**
 * How long a coupon is used. `once` is for one invoice. `repeating` is for a number of billing periods: all invoices within one billing
 * period count as one use. `months` is for the calendar months from the first invoice that the coupon discounts.
 */
export type CouponDuration =
  | { readonly type: 'once' }
  | { readonly type: 'repeating'; readonly invoices: number }
  | { readonly type: 'months'; readonly months: number }
  | { readonly type: 'forever' };

/** A billing period of a subscription, named by its start. */
export interface BillingPeriodStart {
  readonly subscriptionId: string;
  readonly start: Instant;
}

/** The invoice that uses a coupon, and the billing periods of its subscriptions in which it falls. */
export interface CouponInvoice {
  readonly invoiceId: string;
  /** The time of the invoice. */
  readonly at: Instant;
  /** The time zone in which the months of a coupon are counted. */
  readonly timezone: string;
  /** One period for each subscription of the invoice. Empty for a manual invoice. */
  readonly periods: readonly BillingPeriodStart[];
}

/** A use of a coupon. A use that was stored before billing periods were recorded has only the id of its invoice. */
export type CouponUse = Pick<CouponInvoice, 'invoiceId'> & Partial<CouponInvoice>;

/**
 * Counts the uses of a coupon. Invoices within one billing period of a subscription count once. A common invoice of several subscriptions
 * counts once, and a use without a billing period counts by itself.
 */
export function countUses(uses: readonly CouponUse[]): number {
  const seen: BillingPeriodStart[] = [];
  let count = 0;
  for (const { periods = [] } of uses) {
    if (!areAllIn(periods, seen)) count += 1;
    seen.push(...periods);
  }
  return count;
}

/**
 * Returns the end of a coupon for months, from its first use on. `next` is the invoice that would be the first use if there is none yet.
 * Null for other coupons. The end is the local time of the first use, plus the months.
 */
export function endOfCoupon(
  duration: CouponDuration,
  uses: readonly CouponUse[],
  next: Pick<CouponInvoice, 'at' | 'timezone'>,
): Instant | null {
  if (duration.type !== 'months') return null;
  const { months } = duration;
  const ends = uses.flatMap(({ at, timezone }) => (at && timezone ? [plusMonths(at, timezone, months)] : []));
  return ends.sort()[0] ?? plusMonths(next.at, next.timezone, months);
}

/** Tells whether a coupon with these uses still applies to the invoice. */
export function hasUseLeft(
  duration: CouponDuration,
  uses: readonly CouponUse[],
  invoice: CouponInvoice,
): boolean {
  switch (duration.type) {
    case 'once':
      return uses.length < 1;
    case 'repeating':
      return countUses([...uses, invoice]) <= duration.invoices;
    case 'months':
      return invoice.at < endOfCoupon(duration, uses, invoice)!;
    case 'forever':
      return true;
  }
}

function areAllIn(periods: readonly BillingPeriodStart[], seen: readonly BillingPeriodStart[]): boolean {
  return (
    periods.length > 0 &&
    periods.every(({ subscriptionId, start }) =>
      seen.some((one) => one.subscriptionId === subscriptionId && one.start === start),
    )
  );
}

function plusMonths(at: Instant, timezone: string, months: number): Instant {
  return instantOfLocalTime(localTime(at, timezone).add({ months }));
}
