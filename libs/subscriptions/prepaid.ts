import { Conflict, Decimal, type DecimalString, type Instant } from '#libs/core';
import { isRecurring, type ChangedFee, type Period, type PriceSnapshot } from '#libs/rating';
import type { Bill, SubscriptionItem } from './events.js';

/** A fee that was billed in advance, for time that has not all passed. */
export interface PrepaidFee {
  readonly invoiceId: string;
  /** As it was billed: the subscription may have gone over to others since. */
  readonly price: PriceSnapshot;
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
      price,
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
  prepaid: readonly PrepaidFee[],
  refundable: readonly RefundableFee[],
  at: Instant,
): ChangedFee[] {
  return prepaid
    .filter(({ service }) => service.end > at)
    .flatMap((fee) => {
      const known = refundable.find((one) => isSame(one.fee, fee));
      if (!known)
        throw new Conflict(
          'subscription_changed',
          'The subscription was billed at the same moment; try again',
        );
      const { atMost, discount } = known;
      if (new Decimal(atMost).lte(0)) return [];
      const { invoiceId, price, period } = fee;
      const refund = { atMost, ...(discount === undefined ? {} : { discount }), invoiceId };
      return [{ price, period, ...unitsOf(fee), refund }];
    });
}

/**
 * The fees that a prorated change ends: those of the prices that it changes or takes up again, in whatever version and of
 * however many units they were billed. An unprorated change can have left a fee behind whose price is gone; it ends with what
 * has taken its place: what is of the same cadence, and has not been billed itself.
 */
export function feesEndedBy(
  prepaid: readonly PrepaidFee[],
  { kept, removed, added }: Record<'kept' | 'removed' | 'added', readonly SubscriptionItem[]>,
): PrepaidFee[] {
  const isBilled = ({ price }: SubscriptionItem) => prepaid.some((fee) => isFor(fee, price));
  return prepaid.filter((fee) => {
    const isOfIt = ({ price }: SubscriptionItem) => isFor(fee, price);
    const hasItsPlace = (item: SubscriptionItem) =>
      isPrepayable(item.price) && item.price.cadence === fee.price.cadence && !isBilled(item);
    if (kept.some(isOfIt)) return false;
    if ([...removed, ...added].some(isOfIt)) return true;
    return removed.some(hasItsPlace) && !kept.some(hasItsPlace);
  });
}

/** What is left of the fees once a bill has given some of them back. */
export function withoutGivenBack(prepaid: readonly PrepaidFee[], { charges }: Bill): PrepaidFee[] {
  const isGivenBack = (fee: PrepaidFee) =>
    charges.some(
      ({ price, quantity = '1', period, refund }) =>
        refund !== undefined &&
        (refund.invoiceId ?? fee.invoiceId) === fee.invoiceId &&
        isOf(fee, price) &&
        fee.quantity === quantity &&
        fee.period.start === period.start,
    );
  return prepaid.filter((fee) => !isGivenBack(fee));
}

function isPrepayable({ timing, cadence, metricId }: PriceSnapshot): boolean {
  return timing === 'in_advance' && isRecurring(cadence) && metricId === null;
}

function isFor(fee: PrepaidFee, { priceId }: PriceSnapshot): boolean {
  return fee.price.priceId === priceId;
}

function isOf(fee: PrepaidFee, price: PriceSnapshot): boolean {
  return isFor(fee, price) && fee.price.version === price.version;
}

function isSame(a: PrepaidFee, b: PrepaidFee): boolean {
  return (
    a.invoiceId === b.invoiceId &&
    isOf(a, b.price) &&
    a.quantity === b.quantity &&
    a.service.start === b.service.start
  );
}

function unitsOf({ quantity }: PrepaidFee): { quantity?: DecimalString } {
  return quantity === '1' ? {} : { quantity };
}
