import { StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { endOfCoupon, hasUseLeft, type CouponInvoice, type CouponUse } from '#libs/rating';
import { redemptionEvents, type Redemption, type RedemptionEvent } from './events.js';

/** A coupon that a customer has. */
export interface CustomerCoupon extends Redemption {
  /** The invoices that got the discount, without voided ones. */
  invoiceIds: string[];
  /** The uses on these invoices, with their billing periods, in the same order. */
  uses: CouponUse[];
  removedAt: Instant | null;
}

/** A coupon that may discount an invoice. `endsAt` is the end of a coupon for months, and null for other coupons. */
export interface UsableCustomerCoupon extends CustomerCoupon {
  endsAt: Instant | null;
}

/** All coupons that a customer has had, in the order in which the customer got them. */
export interface CustomerCoupons {
  redemptions: CustomerCoupon[];
}

export type CustomerCouponsCommand = { customerId: string } & (
  | { type: 'ApplyCoupon'; redemption: Redemption }
  | { type: 'RemoveCoupon'; at: Instant; redemptionId: string; subscriptionId: string | null }
  | { type: 'UseCoupons'; invoice: CouponInvoice; redemptionIds: readonly string[] }
  /** Returns the uses on an invoice, except those of the redemptions in `kept`. */
  | { type: 'ReturnUses'; invoiceId: string; kept?: readonly string[] }
);

type Of<Type extends CustomerCouponsCommand['type']> = Extract<CustomerCouponsCommand, { type: Type }>;

export const initialState: CustomerCoupons = { redemptions: [] };

/**
 * Because one stream records all uses of a customer's coupons, simultaneous invoices cannot use a coupon more often than allowed.
 */
export const customerCouponsDecider = defineDecider<CustomerCoupons, CustomerCouponsCommand, RedemptionEvent>(
  {
    category: 'customerCoupons',
    events: redemptionEvents,
    decide(command, coupons = initialState) {
      switch (command.type) {
        case 'ApplyCoupon':
          return applyCoupon(command, coupons);
        case 'RemoveCoupon':
          return removeCoupon(command, coupons);
        case 'UseCoupons':
          return useCoupons(command, coupons);
        case 'ReturnUses':
          return returnUses(command, coupons);
      }
    },
    evolve,
  },
);

/**
 * Tells whether the coupon may discount this invoice. An invoice that the coupon has already discounted may get the discount again, even if
 * the coupon was removed or has no use left.
 */
export function isUsableOnInvoice(
  { removedAt, duration, invoiceIds, uses }: CustomerCoupon,
  invoice: CouponInvoice,
): boolean {
  if (invoiceIds.includes(invoice.invoiceId)) return true;
  return removedAt === null && hasUseLeft(duration, uses, invoice);
}

/**
 * Returns the coupons that may discount an invoice of subscriptions, in the order in which the customer got them. A coupon of one
 * subscription may discount the invoice if the invoice has a period of that subscription.
 */
export function usableCoupons(
  redemptions: readonly CustomerCoupon[],
  invoice: CouponInvoice,
): UsableCustomerCoupon[] {
  return redemptions
    .filter(
      (one) =>
        (one.subscriptionId === null ||
          invoice.periods.some(({ subscriptionId }) => subscriptionId === one.subscriptionId)) &&
        isUsableOnInvoice(one, invoice),
    )
    .map((one) => ({ ...one, endsAt: endOfCoupon(one.duration, one.uses, invoice) }));
}

/**
 * Applies a coupon. A coupon cannot be applied twice to the same customer, or twice to the same subscription, unless it was removed there
 * before.
 */
function applyCoupon(
  { customerId, redemption }: Of<'ApplyCoupon'>,
  { redemptions }: CustomerCoupons,
): RedemptionEvent[] {
  if (redemptions.some(({ redemptionId }) => redemptionId === redemption.redemptionId)) return [];
  const same = redemptions.find(
    ({ couponId, subscriptionId, removedAt }) =>
      couponId === redemption.couponId && subscriptionId === redemption.subscriptionId && removedAt === null,
  );
  if (same)
    throw new StateConflict(
      'coupon_already_applied',
      `The coupon "${redemption.couponId}" is applied there already (${same.redemptionId}); remove that first`,
    );
  const { redeemedAt: at, ...details } = redemption;
  return [{ type: 'CouponApplied', data: { customerId, at, ...details } }];
}

function removeCoupon(
  { customerId, redemptionId, subscriptionId, at }: Of<'RemoveCoupon'>,
  { redemptions }: CustomerCoupons,
): RedemptionEvent[] {
  const found = redemptions.find((one) => one.redemptionId === redemptionId);
  if (found?.subscriptionId !== subscriptionId || found.removedAt !== null)
    throw NotFound.of('coupon redemption', redemptionId);
  return [{ type: 'CouponRemoved', data: { customerId, redemptionId, at } }];
}

/** Uses all of these coupons. Throws InvalidRequest, and uses none, if one of the coupons has no use left or was removed. */
function useCoupons(
  { customerId, invoice, redemptionIds }: Of<'UseCoupons'>,
  { redemptions }: CustomerCoupons,
): RedemptionEvent[] {
  const wanted = redemptions.filter(({ redemptionId }) => redemptionIds.includes(redemptionId));
  if (wanted.length < redemptionIds.length || !wanted.every((one) => isUsableOnInvoice(one, invoice)))
    throw new StateConflict('coupon_uses_gone', 'A coupon has no use left, or was removed');
  return wanted
    .filter(({ invoiceIds }) => !invoiceIds.includes(invoice.invoiceId))
    .map(({ redemptionId }) => ({ type: 'CouponUsed', data: { customerId, redemptionId, ...invoice } }));
}

function returnUses(
  { customerId, invoiceId, kept = [] }: Of<'ReturnUses'>,
  { redemptions }: CustomerCoupons,
): RedemptionEvent[] {
  return redemptions
    .filter(({ redemptionId, invoiceIds }) => invoiceIds.includes(invoiceId) && !kept.includes(redemptionId))
    .map(({ redemptionId }) => ({
      type: 'CouponUseReturned',
      data: { customerId, redemptionId, invoiceId },
    }));
}

function evolve({ redemptions }: CustomerCoupons = initialState, event: RedemptionEvent): CustomerCoupons {
  switch (event.type) {
    case 'CouponApplied': {
      const { customerId: _, at: redeemedAt, ...details } = event.data;
      return {
        redemptions: [...redemptions, { ...details, redeemedAt, invoiceIds: [], uses: [], removedAt: null }],
      };
    }
    case 'CouponRemoved': {
      const { redemptionId, at: removedAt } = event.data;
      return changed(redemptions, redemptionId, () => ({ removedAt }));
    }
    case 'CouponUsed': {
      const { customerId: _, redemptionId, ...use } = event.data;
      return changed(redemptions, redemptionId, ({ invoiceIds, uses }) => ({
        invoiceIds: [...invoiceIds, use.invoiceId],
        uses: [...uses, use],
      }));
    }
    case 'CouponUseReturned': {
      const { redemptionId, invoiceId } = event.data;
      return changed(redemptions, redemptionId, ({ invoiceIds, uses }) => ({
        invoiceIds: invoiceIds.filter((id) => id !== invoiceId),
        uses: uses.filter((use) => use.invoiceId !== invoiceId),
      }));
    }
  }
}

function changed(
  redemptions: readonly CustomerCoupon[],
  redemptionId: string,
  change: (redemption: CustomerCoupon) => Partial<CustomerCoupon>,
): CustomerCoupons {
  return {
    redemptions: redemptions.map((one) =>
      one.redemptionId === redemptionId ? { ...one, ...change(one) } : one,
    ),
  };
}
