import {
  reconcileFees,
  endedFees,
  isFeeInAdvance,
  chargesOwed,
  type BilledFee,
  type Charge,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Instant } from '#libs/kernel/core';
import type { Bill, FeeReference, SubscriptionItem } from './events.js';

/**
 * A fee that was billed for time that is not yet over. Such a fee is in advance, or it is a fee in arrears that an unprorated change ended
 * and charged for the whole billing period.
 */
export interface PrepaidFee extends BilledFee {
  /**
   * The id of the invoice that gives back the unused part of the fee. Absent if no invoice gives the fee back. If this invoice is voided,
   * the fee is treated as if it had not been given back.
   */
  readonly givenBackOn?: string;
  /** True if the invoice of the fee is void. The fee of a void invoice was not paid, so nothing of it is given back. */
  readonly isVoid?: true;
}

/** Returns the fees that a bill charges in advance, or for time after the bill. Usage is no fee. */
function prepaidBy({ invoiceId, charges, billedAt }: Bill): PrepaidFee[] {
  return charges
    .filter(
      ({ price, refund, service }) =>
        !refund && price.metricId === null && (isFeeInAdvance(price) || service.end > billedAt),
    )
    .map(({ price, quantity = '1', service, period }) => ({ invoiceId, price, quantity, service, period }));
}

/**
 * Returns the prepaid fees after a bill. Adds the fees that the bill charges, marks those that it gives back, and removes those whose time
 * is over.
 */
export function prepaidFeesAfterBill(prepaid: readonly PrepaidFee[], bill: Bill): PrepaidFee[] {
  const { billedAt, charges, invoiceId } = bill;
  const marked = prepaid.map((fee) => {
    const isGivenBack = !fee.givenBackOn && charges.some((charge) => isGiveBackOf(charge, fee));
    return isGivenBack ? { ...fee, givenBackOn: invoiceId } : fee;
  });
  return [...marked.filter(({ service }) => service.end > billedAt), ...prepaidBy(bill)];
}

/**
 * Returns the prepaid fees after an invoice is voided. The fees that the voided invoice charged are treated as unpaid. The fees that the
 * voided invoice gave back are treated as if they had not been given back.
 */
export function prepaidFeesAfterVoid(prepaid: readonly PrepaidFee[], invoiceId: string): PrepaidFee[] {
  return prepaid.map((fee): PrepaidFee => {
    if (fee.invoiceId === invoiceId) return { ...fee, isVoid: true };
    const { givenBackOn, ...billed } = fee;
    return givenBackOn === invoiceId ? billed : fee;
  });
}

/** Returns true if the invoice `id` charged the fee, and also if the invoice gave it back. Voiding such an invoice changes the fee. */
export function isOnInvoice({ invoiceId, givenBackOn }: PrepaidFee, id: string): boolean {
  return invoiceId === id || givenBackOn === id;
}

/** Returns the give-backs for all prepaid time after `at`, because all items end at `at`. */
export function giveBacksOfUnusedFees(prepaid: readonly PrepaidFee[], at: Instant): Charge[] {
  return reconcileFees([], prepaid.filter(isStillPaid), at).giveBacks;
}

/** Returns the prepaid fees without the fees in `ended`, which belong to void invoices and were ended by a change. */
export function prepaidFeesWithoutEnded(
  prepaid: readonly PrepaidFee[],
  ended: readonly FeeReference[],
): PrepaidFee[] {
  return prepaid.filter((fee) => !ended.some((one) => isReferenceTo(one, fee)));
}

/** Returns the prepaid fees whose invoices are not void. */
export function prepaidFeesWithoutVoid(prepaid: readonly PrepaidFee[]): PrepaidFee[] {
  return prepaid.filter(({ isVoid }) => !isVoid);
}

/** The items after a change, which {@link reconcilePrepaidFees} compares with the prepaid fees. */
export interface ChangedItems {
  readonly kept: readonly SubscriptionItem[];
  readonly added: readonly SubscriptionItem[];
}

/** The effects of a change on the fees that are charged in advance. */
export interface PrepaidFeeChanges {
  readonly chargesToBill: Charge[];
  /** The give-backs: charges that return the unused part of prepaid fees. */
  readonly giveBacks: Charge[];
  /** The fees of void invoices that end with the change. Nothing of the ended fees of void invoices is given back. */
  readonly endedVoidFees: FeeReference[];
}

/**
 * Returns the fees in advance that a change charges and gives back. New items are charged the fees that they owe in advance. With
 * `settles`, fees that do not continue are given back for the time after `at`. Without `settles`, only fees whose time begins at `at` or
 * later are given back. After an unprorated change, an item that continues may wait for the end of the time that earlier fees paid. With
 * `settles`, the paid time that an item waits for is not given back.
 *
 * The fees of void invoices are compared with the items like all other fees, because they still cover their time. If such a fee ended
 * without proration and comes back, it is not charged a second time.
 */
export function reconcilePrepaidFees(
  prepaid: readonly PrepaidFee[],
  { kept, added }: ChangedItems,
  terms: SubscriptionTerms,
  { at, settles }: { readonly at: Instant; readonly settles: boolean },
): PrepaidFeeChanges {
  const target = added.flatMap((item) => chargesOwed(terms, item, at));
  const standing = prepaid.filter(isStanding);
  const ended = endedFees(standing, kept);
  const waiting = kept.filter((item) => !standing.some((fee) => isBillingOf(fee, item)));
  const waitedFor = ended.filter((fee) => waiting.some((item) => isWaitingFor(item, fee)));
  const compared = settles ? ended : ended.filter(({ service }) => service.start >= at);
  const { chargesToBill, giveBacks } = reconcileFees(target, compared, at);
  const due = giveBacks.filter((charge) => !settles || !waitedFor.some((fee) => isGiveBackOf(charge, fee)));
  const voidFees = prepaid.filter(({ isVoid }) => isVoid);
  const isOfVoidFee = (charge: Charge) => voidFees.some((fee) => isGiveBackOf(charge, fee));
  return {
    chargesToBill,
    giveBacks: due.filter((charge) => !isOfVoidFee(charge)),
    endedVoidFees: voidFees.filter((fee) => due.some((charge) => isGiveBackOf(charge, fee))).map(referenceTo),
  };
}

/**
 * Returns the fees that a replacement of `items` must wait for in an unprorated change. The fees to wait for are those that charged
 * `items`, and those that `items` themselves wait for.
 */
export function feesAwaitedByReplacement(
  prepaid: readonly PrepaidFee[],
  items: readonly SubscriptionItem[],
): FeeReference[] {
  return prepaid
    .filter(isStanding)
    .filter((fee) => items.some((item) => isBillingOf(fee, item) || isWaitingFor(item, fee)))
    .map(referenceTo);
}

function isWaitingFor({ waitsFor = [] }: SubscriptionItem, fee: PrepaidFee): boolean {
  return waitsFor.some((one) => isReferenceTo(one, fee));
}

function referenceTo({ invoiceId, price: { priceId }, service }: PrepaidFee): FeeReference {
  return { invoiceId, priceId, service };
}

function isReferenceTo(
  { invoiceId, priceId, service: { start, end } }: FeeReference,
  fee: PrepaidFee,
): boolean {
  return (
    invoiceId === fee.invoiceId &&
    priceId === fee.price.priceId &&
    start === fee.service.start &&
    end === fee.service.end
  );
}

/** The price, price version and quantity of a fee. */
type FeeTerms = Pick<SubscriptionItem, 'price' | 'quantity'>;

/** Tells whether the fee charged the item for the time that ends at the `since` of the item. */
function isBillingOf(fee: PrepaidFee, item: SubscriptionItem): boolean {
  return hasTerms(fee, item) && fee.service.end === item.since;
}

function hasTerms({ price: of, quantity: units }: PrepaidFee, { price, quantity }: FeeTerms): boolean {
  return of.priceId === price.priceId && of.version === price.version && units === quantity;
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
  const begun = prepaid.filter(isStanding).find((fee) => isBillingOf(fee, item) && fee.service.start >= at);
  return begun ? begun.service.start : item.since;
}

/**
 * Returns the end of the time that is already paid for a fee that was removed and now comes back. Paid time of a removed fee is left if
 * the change that removed the fee did not prorate. Undefined if no paid time of the fee is left. If the paid time begins at `at` or later,
 * the result is the beginning of that time, because it can be given back in full.
 */
export function paidUntilOfReturningFee(
  fee: FeeTerms,
  prepaid: readonly PrepaidFee[],
  at: Instant,
): Instant | undefined {
  const since = feesCoveringReturn(fee, prepaid, at)
    .map(({ service }) => service.end)
    .sort()
    .at(-1);
  return since === undefined ? undefined : endOfChargedTime({ ...fee, since }, prepaid, at);
}

/**
 * Returns the present items, adjusted for a change that begins the fees `begun`. Some of the fees in `begun` can use their own remaining
 * paid time again. No other item waits any longer for paid time that a fee in `begun` uses again. An item that waited for this time is
 * charged from the end of the other paid time that it waits for. An item without other paid time to wait for is charged from `next`. This
 * is the instant of the change, or the end of the period for an unprorated change within the period.
 */
export function itemsAfterFeesReturn(
  items: readonly SubscriptionItem[],
  prepaid: readonly PrepaidFee[],
  begun: readonly FeeTerms[],
  { at, next }: { readonly at: Instant; readonly next: Instant },
): SubscriptionItem[] {
  const used = begun
    .filter(({ price }) => isFeeInAdvance(price))
    .flatMap((fee) => feesCoveringReturn(fee, prepaid, at));
  return items.map((item) => {
    if (!used.some((fee) => isWaitingFor(item, fee))) return item;
    const { waitsFor: _, ...left } = item;
    const others = prepaid.filter(
      (fee) => isStanding(fee) && fee.service.end > at && isWaitingFor(item, fee) && !used.includes(fee),
    );
    const since = others
      .map(({ service }) => service.end)
      .sort()
      .at(-1);
    return since === undefined
      ? { ...left, since: next }
      : { ...left, since, waitsFor: others.map(referenceTo) };
  });
}

/** Returns the earlier fees whose paid time is not over. This time covers the given fee, which was removed and now comes back. */
function feesCoveringReturn(fee: FeeTerms, prepaid: readonly PrepaidFee[], at: Instant): PrepaidFee[] {
  return prepaid.filter((one) => isStanding(one) && hasTerms(one, fee) && one.service.end > at);
}

/**
 * Tells whether the fee is not given back, so that it still covers its time. A fee of a void invoice still covers its time, although it was
 * not paid.
 */
function isStanding({ givenBackOn }: PrepaidFee): boolean {
  return givenBackOn === undefined;
}

function isStillPaid(fee: PrepaidFee): boolean {
  return isStanding(fee) && !fee.isVoid;
}

function isGiveBackOf({ price, quantity = '1', refund }: Charge, fee: PrepaidFee): boolean {
  return (
    refund?.invoiceId === fee.invoiceId &&
    refund.service.start === fee.service.start &&
    refund.service.end === fee.service.end &&
    price.priceId === fee.price.priceId &&
    price.version === fee.price.version &&
    quantity === fee.quantity
  );
}
