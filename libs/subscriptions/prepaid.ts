import { Conflict, Decimal, type DecimalString, type Instant } from '#libs/core';
import type { ChangedFee, Period } from '#libs/rating';
import type { Bill, SubscriptionItem } from './events.js';

/** A fee that was billed in advance, for time that has not all passed. */
export interface PrepaidFee {
  readonly invoiceId: string;
  readonly priceId: string;
  readonly version: number;
  readonly quantity: DecimalString;
  /** What was billed. */
  readonly service: Period;
  /** The price's full period that the service is all or a part of. */
  readonly period: Period;
}

/** What of a prepaid fee was billed and can still be given back, as its invoice is by now. */
export interface RefundableFee {
  readonly fee: PrepaidFee;
  /** What was billed, less what has been given back; zero if the invoice is void. */
  readonly atMost: DecimalString;
  /** What coupons took off a whole period of it. */
  readonly discount?: DecimalString;
}

/** The fees that a bill charges in advance. */
export function prepaidBy({ invoiceId, charges }: Bill): PrepaidFee[] {
  return charges
    .filter(({ price, refund }) => price.timing === 'in_advance' && price.cadence !== 'one_time' && !refund)
    .map(({ price, quantity = '1', service, period }) => ({
      invoiceId,
      priceId: price.priceId,
      version: price.version,
      quantity,
      service,
      period,
    }));
}

/**
 * The fees that can be given back for the time from `at` on. `refundable` has what their invoices say; Conflict if it lacks one, since
 * the subscription was billed after the caller had looked.
 */
export function unusedFees(
  {
    prepaid,
    items,
  }: { readonly prepaid: readonly PrepaidFee[]; readonly items: readonly SubscriptionItem[] },
  refundable: readonly RefundableFee[],
  at: Instant,
): ChangedFee[] {
  return prepaid
    .filter(({ service }) => service.end > at)
    .flatMap((fee) => {
      const item = items.find(({ price }) => isOf(fee, price));
      const known = refundable.find((one) => isSame(one.fee, fee));
      if (!known || !item)
        throw new Conflict(
          'subscription_changed',
          'The subscription was billed at the same moment; try again',
        );
      const { atMost, discount } = known;
      if (new Decimal(atMost).lte(0)) return [];
      const { invoiceId } = fee;
      const refund = { atMost, ...(discount === undefined ? {} : { discount }), invoiceId };
      return [{ price: item.price, period: fee.period, ...unitsOf(fee), refund }];
    });
}

/** Whether a fee was billed for what an item is now. */
export function isPrepaymentOf(fee: PrepaidFee, { price, quantity }: SubscriptionItem): boolean {
  return isOf(fee, price) && fee.quantity === quantity;
}

function isOf(fee: PrepaidFee, { priceId, version }: SubscriptionItem['price']): boolean {
  return fee.priceId === priceId && fee.version === version;
}

function isSame(a: PrepaidFee, b: PrepaidFee): boolean {
  return (
    a.invoiceId === b.invoiceId &&
    a.priceId === b.priceId &&
    a.version === b.version &&
    a.quantity === b.quantity &&
    a.service.start === b.service.start
  );
}

function unitsOf({ quantity }: PrepaidFee): { quantity?: DecimalString } {
  return quantity === '1' ? {} : { quantity };
}
