import {
  difference,
  endedFees,
  isPrepaid,
  owed,
  type BilledFee,
  type Charge,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Instant } from '#libs/kernel/core';
import type { Bill, PaidFee, SubscriptionItem } from './events.js';

/** A fee that was billed in advance, for time that has not all passed. */
export interface PrepaidFee extends BilledFee {
  /** The invoice that gives back what was unused of it; absent: none does. If that is voided, the fee counts as billed again. */
  readonly givenBackOn?: string;
  /** Its invoice is void: it was not paid, and nothing is given back of it. */
  readonly isVoid?: true;
}

/** The fees that a bill charges in advance. */
export function prepaidBy({ invoiceId, charges }: Bill): PrepaidFee[] {
  return charges
    .filter(({ price, refund }) => isPrepaid(price) && !refund)
    .map(({ price, quantity = '1', service, period }) => ({ invoiceId, price, quantity, service, period }));
}

/** The prepaid fees after a bill: with what it charges and gives back, and without what is over by then. */
export function prepaidAfter(prepaid: readonly PrepaidFee[], bill: Bill): PrepaidFee[] {
  const { billedAt, charges, invoiceId } = bill;
  const marked = prepaid.map((fee) => {
    const isGivenBack = !fee.givenBackOn && charges.some((charge) => isRefundOf(charge, fee));
    return isGivenBack ? { ...fee, givenBackOn: invoiceId } : fee;
  });
  return [...marked.filter(({ service }) => service.end > billedAt), ...prepaidBy(bill)];
}

/** The prepaid fees once an invoice is void: what it charged was not paid, and what it gave back counts as billed again. */
export function prepaidWithout(prepaid: readonly PrepaidFee[], invoiceId: string): PrepaidFee[] {
  return prepaid.map((fee): PrepaidFee => {
    if (fee.invoiceId === invoiceId) return { ...fee, isVoid: true };
    const { givenBackOn, ...billed } = fee;
    return givenBackOn === invoiceId ? billed : fee;
  });
}

/** Whether voiding an invoice changes what is prepaid. */
export function isOnInvoice({ invoiceId, givenBackOn }: PrepaidFee, id: string): boolean {
  return invoiceId === id || givenBackOn === id;
}

/** What is given back where all ends at `at`: everything that was billed for later. */
export function unusedFees(prepaid: readonly PrepaidFee[], at: Instant): Charge[] {
  return difference([], prepaid.filter(isStanding), at).refunds;
}

/** Items after a change, as {@link settle} compares them. */
export interface ChangedItems {
  readonly kept: readonly SubscriptionItem[];
  readonly added: readonly SubscriptionItem[];
}

/**
 * What a change charges and gives back in advance: what new items owe, less what was billed from `at` on for fees that do not go on. Unless
 * it `settles` all that was paid, only what has just begun to be charged is given back. One exception: after an unprorated change, a fee
 * that goes on may wait for paid time to end. That time is not given back.
 */
export function settle(
  prepaid: readonly PrepaidFee[],
  { kept, added }: ChangedItems,
  terms: SubscriptionTerms,
  { at, settles }: { readonly at: Instant; readonly settles: boolean },
): { charges: Charge[]; refunds: Charge[] } {
  const target = added.flatMap((item) => owed(terms, item, at));
  const standing = prepaid.filter(isStanding);
  const ended = endedFees(standing, kept);
  if (!settles)
    return difference(
      target,
      ended.filter(({ service }) => service.start >= at),
      at,
    );
  const { charges, refunds } = difference(target, ended, at);
  const waiting = kept.filter((item) => !standing.some((fee) => isBillingOf(fee, item)));
  const waitedFor = ended.filter((fee) => waiting.some((item) => isWaitingFor(item, fee)));
  return { charges, refunds: refunds.filter((charge) => !waitedFor.some((fee) => isRefundOf(charge, fee))) };
}

/** The fees that what takes the place of `items` unprorated waits for: those that they are paid by, or wait for themselves. */
export function paidFees(prepaid: readonly PrepaidFee[], items: readonly SubscriptionItem[]): PaidFee[] {
  return prepaid
    .filter(isStanding)
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

/** Whether an item was charged up to its `since` by this billing of it. */
function isBillingOf({ price: of, quantity, service }: PrepaidFee, item: SubscriptionItem): boolean {
  const { price, since } = item;
  return (
    of.priceId === price.priceId &&
    of.version === price.version &&
    quantity === item.quantity &&
    service.end === since
  );
}

/** Up to where an item has been charged, but for what begins at `at` and can be taken back in full. */
export function chargedUntil(item: SubscriptionItem, prepaid: readonly PrepaidFee[], at: Instant): Instant {
  const begun = prepaid
    .filter(({ givenBackOn }) => givenBackOn === undefined)
    .find((fee) => isBillingOf(fee, item) && fee.service.start >= at);
  return begun ? begun.service.start : item.since;
}

function isStanding({ givenBackOn, isVoid }: PrepaidFee): boolean {
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
