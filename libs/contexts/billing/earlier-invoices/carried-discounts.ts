import { Decimal, moneyString, roundToCurrency, sumOf } from '#libs/kernel/core';
import type { Invoice, InvoiceDiscount } from '#libs/contexts/invoicing';
import {
  couponApplies,
  isFeeInAdvance,
  prorate,
  type Charge,
  type RemainingFee,
  type InvoiceLine,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';

/**
 * The unused part of a coupon's discount on a fee that is given back. This unused part is carried over to the fees that replace the fee.
 * `carriedFrom` is the id of the earlier invoice that used the coupon.
 */
export type CarriedDiscount = Omit<InvoiceDiscount, 'amount'> & { readonly carriedFrom: string };

/**
 * A fee that is given back, with the invoice and the line that charged it. `remainingFee` is the amount that can still be given back of the
 * line.
 */
export interface GivenBackFeeLine {
  readonly charge: Charge;
  readonly invoice: Pick<Invoice, 'invoiceId' | 'status' | 'discounts'>;
  readonly line: InvoiceLine;
  readonly remainingFee: RemainingFee;
}

/**
 * Returns the coupon discounts that are carried over within a bill. If the bill gives back old fees and charges new fees in advance, the
 * unused part of a coupon's discount on the old fees also discounts the new fees. The result has one discount for each coupon. Discounts of
 * a void invoice are not carried over.
 */
export function carriedDiscounts(
  bill: Bill,
  refunded: readonly GivenBackFeeLine[],
  basis: ProrationBasis,
): CarriedDiscount[] {
  const begun = bill.charges.filter(({ price, refund }) => isFeeInAdvance(price) && !refund);
  if (begun.length === 0) return [];
  const parts = refunded.flatMap((one) => unusedDiscounts(one, basis));
  return [...Map.groupBy(parts, ({ coupon }) => coupon.redemptionId).values()].flatMap((of) => {
    const [{ coupon, invoiceId }] = of as [UnusedDiscount];
    const amount = roundToCurrency(sumOf(of.map((part) => part.amount)), bill.currency);
    if (amount.lte(0)) return [];
    const priceIds = [...new Set(begun.map(({ price }) => price.priceId))];
    const { redemptionId, couponId, name } = coupon;
    const discount = {
      type: 'fixed',
      amount: moneyString(amount, bill.currency),
      currency: bill.currency,
    } as const;
    return [{ redemptionId, couponId, name, discount, priceIds, carriedFrom: invoiceId }];
  });
}

interface UnusedDiscount {
  readonly coupon: InvoiceDiscount;
  readonly invoiceId: string;
  readonly amount: Decimal;
}

function unusedDiscounts(
  { charge, invoice, line, remainingFee: left }: GivenBackFeeLine,
  basis: ProrationBasis,
): UnusedDiscount[] {
  const { invoiceId, status, discounts = [] } = invoice;
  if (status === 'void' || line.discount === undefined || !charge.refund) return [];
  const covering = discounts.filter((discount) => couponApplies(line, discount));
  const {
    discountedBy = covering.length === 1
      ? [{ couponId: covering[0]!.redemptionId, amount: line.discount }]
      : [],
  } = line;
  const share = new Decimal(left.net).isZero() ? new Decimal(1) : new Decimal(left.left).dividedBy(left.net);
  return discountedBy.flatMap(({ couponId, amount }) => {
    const coupon = discounts.find(({ redemptionId }) => redemptionId === couponId);
    if (!coupon) return [];
    const unused = prorate(new Decimal(amount), charge.service, charge.refund!.service, basis);
    return [{ coupon, invoiceId, amount: unused.times(share) }];
  });
}
