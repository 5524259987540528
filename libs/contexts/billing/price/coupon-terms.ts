import type { CustomerCoupon } from '#libs/contexts/coupons';
import type { InvoiceDiscount } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';

/** A coupon with all that an invoice says of it but what it takes off. */
export type TermsCoupon = Omit<InvoiceDiscount, 'amount'>;

/**
 * The usable coupons that may discount any of the bills. A coupon that is not for all of them says for whose lines it is. What is charged
 * before its period is over waits for them: they take their part off the whole of it at its end, once. `planIds`: the plan that each
 * subscription is on, for bills that do not say it. `before`: the bills of each before this one; a fixed amount counts once between two
 * ends of a period, however often the terms change there.
 */
export function couponTerms(
  bills: readonly Bill[],
  usable: readonly CustomerCoupon[],
  planIds: ReadonlyMap<string, string>,
  before: (bill: Bill) => readonly Bill[],
): TermsCoupon[] {
  if (bills.some(({ kind }) => kind === 'progressive')) return [];
  return usable.flatMap((coupon) => {
    const subscriptionIds = bills
      .filter((bill) => isFor(coupon, bill, bill.consolidated?.planId ?? planIds.get(bill.subscriptionId)))
      .filter((bill) => !isUsedInPeriod(coupon, bill, before(bill)))
      .map(({ subscriptionId }) => subscriptionId);
    if (subscriptionIds.length === bills.length) return [termsOf(coupon)];
    return subscriptionIds.length > 0 ? [{ ...termsOf(coupon), subscriptionIds }] : [];
  });
}

/** Whether a fixed amount was taken off another invoice since the bill's period began. That of its beginning counts for changes within it. */
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

/** The coupons of an invoice with what goes over of others: a coupon that counts anew has no need of that. */
export function couponsWith(
  coupons: readonly TermsCoupon[],
  carried: readonly CarriedDiscount[],
): TermsCoupon[] {
  const isUsable = ({ redemptionId }: TermsCoupon) =>
    coupons.some((coupon) => coupon.redemptionId === redemptionId);
  return [...coupons, ...carried.filter((one) => !isUsable(one))];
}

/** One that is used on the bill's invoice stays there, whatever the plan is by now. */
function isFor(
  { subscriptionId, planIds, invoiceIds }: CustomerCoupon,
  bill: Bill,
  planId: string | undefined,
): boolean {
  if (subscriptionId !== null && subscriptionId !== bill.subscriptionId) return false;
  if (planIds === null) return true;
  if (!bill.consolidated && invoiceIds.includes(bill.invoiceId)) return true;
  return planId !== undefined && planIds.includes(planId);
}

function termsOf({ redemptionId, couponId, name, discount, priceIds }: CustomerCoupon): TermsCoupon {
  return { redemptionId, couponId, name, discount, ...(priceIds === null ? {} : { priceIds }) };
}
