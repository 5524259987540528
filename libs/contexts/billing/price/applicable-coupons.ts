import { storedTranslations } from '#libs/kernel/core';
import type { CustomerCoupon, UsableCustomerCoupon } from '#libs/contexts/coupons';
import type { InvoiceDiscount } from '#libs/contexts/invoicing';
import type { Bill, Subscription } from '#libs/contexts/subscriptions';
import { periodContaining, type CouponInvoice } from '#libs/rating';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';

/** A coupon that discounts an invoice, with all fields of an invoice discount except the amount. */
export type ApplicableCoupon = Omit<InvoiceDiscount, 'amount'>;

/**
 * Returns the invoice of the bills for the uses of coupons. `subscriptions` are those of the bills, in the same order. An invoice at the
 * boundary of two billing periods falls in the period that begins. The months of a coupon are counted in the time zone of the first
 * subscription.
 */
export function couponInvoiceOf(
  bills: readonly Pick<Bill, 'invoiceId' | 'billedAt'>[],
  subscriptions: readonly Pick<Subscription, 'subscriptionId' | 'anchor' | 'timezone' | 'billingInterval'>[],
): CouponInvoice {
  const { invoiceId, billedAt: at } = bills[0]!;
  return {
    invoiceId,
    at,
    timezone: subscriptions[0]!.timezone,
    periods: subscriptions.map(({ subscriptionId, billingInterval, ...anchored }) => ({
      subscriptionId,
      start: periodContaining(anchored, billingInterval, at).start,
    })),
  };
}

/**
 * Returns the usable coupons that can discount at least one of the bills. If a coupon does not apply to all bills, the result lists the
 * subscriptions to which it applies. A progressive invoice gets no coupons, because coupons discount the whole period once, at its end.
 * `planIds` has the plan of each subscription whose bill does not name its plan. `before` returns the earlier bills of the subscription
 * that a bill belongs to. The fixed amount of a coupon is used only once in a period, even if the terms change several times in that
 * period.
 */
export function applicableCoupons(
  bills: readonly Bill[],
  usable: readonly UsableCustomerCoupon[],
  planIds: ReadonlyMap<string, string>,
  before: (bill: Bill) => readonly Bill[],
): ApplicableCoupon[] {
  if (bills.some(({ kind }) => kind === 'progressive')) return [];
  return usable.flatMap((coupon) => {
    const subscriptionIds = bills
      .filter((bill) =>
        isApplicableTo(coupon, bill, bill.consolidated?.planId ?? planIds.get(bill.subscriptionId)),
      )
      .filter((bill) => !isUsedInPeriod(coupon, bill, before(bill)))
      .map(({ subscriptionId }) => subscriptionId);
    if (subscriptionIds.length === bills.length) return [termsOf(coupon)];
    return subscriptionIds.length > 0 ? [{ ...termsOf(coupon), subscriptionIds }] : [];
  });
}

/**
 * Tells whether the fixed amount of a coupon was used on another invoice since the beginning of the bill's period. For an amendment, the
 * invoice at the beginning of the period is one of these other invoices.
 */
function isUsedInPeriod(
  { discount, invoiceIds }: CustomerCoupon,
  bill: Bill,
  before: readonly Bill[],
): boolean {
  if (discount.type !== 'fixed' || invoiceIds.includes(bill.invoiceId)) return false;
  const { kind, periodStart } = bill;
  return before
    .filter(({ billedAt }) => billedAt > periodStart || (kind === 'amendment' && billedAt === periodStart))
    .some(({ invoiceId }) => invoiceIds.includes(invoiceId));
}

/**
 * Adds carried discounts ({@link CarriedDiscount}) to the coupons of an invoice. A coupon that still applies to the invoice gets no carried
 * discount, because the coupon itself discounts the new fees.
 */
export function withCarriedCoupons(
  coupons: readonly ApplicableCoupon[],
  carried: readonly CarriedDiscount[],
): ApplicableCoupon[] {
  const isUsable = ({ redemptionId }: ApplicableCoupon) =>
    coupons.some((coupon) => coupon.redemptionId === redemptionId);
  return [...coupons, ...carried.filter((one) => !isUsable(one))];
}

/**
 * Tells whether a coupon applies to a bill. If the bill's invoice has already used a coupon, the coupon still applies even after a change
 * of the plan.
 */
function isApplicableTo(
  { subscriptionId, planIds, invoiceIds }: CustomerCoupon,
  bill: Bill,
  planId: string | undefined,
): boolean {
  if (subscriptionId !== null && subscriptionId !== bill.subscriptionId) return false;
  if (planIds === null) return true;
  if (!bill.consolidated && invoiceIds.includes(bill.invoiceId)) return true;
  return planId !== undefined && planIds.includes(planId);
}

function termsOf({
  redemptionId,
  couponId,
  name,
  nameTranslations,
  discount,
  priceIds,
  endsAt,
}: UsableCustomerCoupon): ApplicableCoupon {
  return {
    redemptionId,
    couponId,
    name,
    discount,
    ...storedTranslations(nameTranslations),
    ...(priceIds === null ? {} : { priceIds }),
    ...(endsAt === null ? {} : { endsAt }),
  };
}
