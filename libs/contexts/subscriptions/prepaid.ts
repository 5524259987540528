import {
  reconcileFees,
  endedFees,
  isPrepaid,
  chargesOwed,
  type BilledFee,
  type Charge,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Instant } from '#libs/kernel/core';
import type { Bill, PaidFee, SubscriptionItem } from './events.js';

/** A fee that was billed in advance, for time that has not all passed. */
export interface PrepaidFee extends BilledFee {
  /**
   * The invoice that gives back the unused part of the fee. Absent if there is none. If that invoice is voided, the fee is treated as
   * billed again.
   */
  readonly givenBackOn?: string;
  /** The invoice of the fee is void. The fee was not paid, so nothing of it is given back. */
  readonly isVoid?: true;
}

/** Returns the fees that a bill charges in advance. */
function prepaidBy({ invoiceId, charges }: Bill): PrepaidFee[] {
  return charges
    .filter(({ price, refund }) => isPrepaid(price) && !refund)
    .map(({ price, quantity = '1', service, period }) => ({ invoiceId, price, quantity, service, period }));
}

/**
 * Returns the prepaid fees after a bill. Adds the fees that it charges, marks those that it gives back, and drops those whose time is over.
 */
export function prepaidAfter(prepaid: readonly PrepaidFee[], bill: Bill): PrepaidFee[] {
  const { billedAt, charges, invoiceId } = bill;
  const marked = prepaid.map((fee) => {
    const isGivenBack = !fee.givenBackOn && charges.some((charge) => isRefundOf(charge, fee));
    return isGivenBack ? { ...fee, givenBackOn: invoiceId } : fee;
  });
  return [...marked.filter(({ service }) => service.end > billedAt), ...prepaidBy(bill)];
}

/**
 * Returns the prepaid fees after an invoice is voided. The fees that it charged are treated as unpaid. The fees that it gave back are
 * treated as billed again.
 */
export function prepaidAfterVoid(prepaid: readonly PrepaidFee[], invoiceId: string): PrepaidFee[] {
  return prepaid.map((fee): PrepaidFee => {
    if (fee.invoiceId === invoiceId) return { ...fee, isVoid: true };
    const { givenBackOn, ...billed } = fee;
    return givenBackOn === invoiceId ? billed : fee;
  });
}

/** Tells whether the invoice charged the fee or gave it back, so that voiding the invoice changes the fee. */
export function isOnInvoice({ invoiceId, givenBackOn }: PrepaidFee, id: string): boolean {
  return invoiceId === id || givenBackOn === id;
}

/** Returns the give-backs if all items end at `at`: everything that was billed for later time. */
export function unusedFees(prepaid: readonly PrepaidFee[], at: Instant): Charge[] {
  return reconcileFees([], prepaid.filter(isStillPaid), at).refunds;
}

/** Items after a change, as {@link settlePrepaidFees} compares them. */
export interface ChangedItems {
  readonly kept: readonly SubscriptionItem[];
  readonly added: readonly SubscriptionItem[];
}

/**
 * Returns the fees in advance that a change charges and gives back. New items are charged what they owe. Fees that do not continue are
 * given back for the time from `at` on. Unless the change `settles` all prepaid time, it gives back only fees whose time begins at `at` or
 * later. One exception: after an unprorated change, a fee that continues may wait for paid time to end. That time is not given back.
 */
export function settlePrepaidFees(
  prepaid: readonly PrepaidFee[],
  { kept, added }: ChangedItems,
  terms: SubscriptionTerms,
  { at, settles }: { readonly at: Instant; readonly settles: boolean },
): { charges: Charge[]; refunds: Charge[] } {
  const target = added.flatMap((item) => chargesOwed(terms, item, at));
  const standing = prepaid.filter(isStillPaid);
  const ended = endedFees(standing, kept);
  if (!settles)
    return reconcileFees(
      target,
      ended.filter(({ service }) => service.start >= at),
      at,
    );
  const { charges, refunds } = reconcileFees(target, ended, at);
  const waiting = kept.filter((item) => !standing.some((fee) => isBillingOf(fee, item)));
  const waitedFor = ended.filter((fee) => waiting.some((item) => isWaitingFor(item, fee)));
  return { charges, refunds: refunds.filter((charge) => !waitedFor.some((fee) => isRefundOf(charge, fee))) };
}

/**
 * Returns the fees that the replacement of `items` in an unprorated change waits for: those that charged `items`, and those that `items`
 * wait for themselves.
 */
export function paidFees(prepaid: readonly PrepaidFee[], items: readonly SubscriptionItem[]): PaidFee[] {
  return prepaid
    .filter(isStillPaid)
    .filter((fee) => items.some((item) => isBillingOf(fee, item) || isWaitingFor(item, fee)))
    .map(({ invoiceId, price: { priceId }, service }) => ({ invoiceId, priceId, service }));
}

function isWaitingFor(
  { waitsFor = [] }: SubscriptionItem,
  { invoiceId, price, service }: PrepaidFee,
): boolean {
  return waitsFor.some(
    (one) =>
      one.invoiceId === invoiceId &&
      one.priceId === price.priceId &&
      one.service.start === service.start &&
      one.service.end === service.end,
  );
}

/** Tells whether this fee charged the item up to its `since`. */
function isBillingOf({ price: of, quantity, service }: PrepaidFee, item: SubscriptionItem): boolean {
  const { price, since } = item;
  return (
    of.priceId === price.priceId &&
    of.version === price.version &&
    quantity === item.quantity &&
    service.end === since
  );
}

/**
 * Returns the instant up to which an item has been charged. A fee that begins at `at` or later is left out, because it can be given back
 * in full.
 */
export function endOfChargedTime(
  item: SubscriptionItem,
  prepaid: readonly PrepaidFee[],
  at: Instant,
): Instant {
  const begun = prepaid
    .filter(({ givenBackOn }) => givenBackOn === undefined)
    .find((fee) => isBillingOf(fee, item) && fee.service.start >= at);
  return begun ? begun.service.start : item.since;
}

function isStillPaid({ givenBackOn, isVoid }: PrepaidFee): boolean {
  return givenBackOn === undefined && !isVoid;
}

function isRefundOf({ price, quantity = '1', refund }: Charge, fee: PrepaidFee): boolean {
  return (
    refund?.invoiceId === fee.invoiceId &&
    refund.service.start === fee.service.start &&
    refund.service.end === fee.service.end &&
    price.priceId === fee.price.priceId &&
    price.version === fee.price.version &&
    quantity === fee.quantity
  );
}
