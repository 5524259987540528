import { Decimal } from '#libs/core';
import type { InvoiceDiscount, NewInvoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import type { PricedBill } from './bill-pricing.js';

/** The invoice of a bill that has been priced. */
export function newInvoice(bill: Bill, priced: PricedBill): NewInvoice {
  const { charges: _, commitment: __, ...details } = bill;
  const { lines, taxes, total, excess, readings, lateReadings, lookBack, terms } = priced;
  const { commitment, lateCommitments } = priced;
  const discounts = discountsOf(priced);
  return {
    ...details,
    lines,
    total,
    ...(new Decimal(excess).isZero() ? {} : { excess }),
    ...(terms.basis.unit === 'time' ? {} : { basis: terms.basis }),
    ...(readings.length > 0 ? { readings } : {}),
    ...(lateReadings.length > 0 ? { lateReadings } : {}),
    ...(lookBack ? { lookBack } : {}),
    ...(commitment ? { commitment } : {}),
    ...(lateCommitments ? { lateCommitments: [...lateCommitments] } : {}),
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(taxes.length > 0 ? { taxes: [...taxes] } : {}),
    ...(terms.taxExemption === undefined ? {} : { taxExemption: terms.taxExemption }),
  };
}

/** What coupons took off, with what is said of them; those that took nothing off are not on the invoice. */
export function discountsOf({
  discounts,
  terms,
}: Pick<PricedBill, 'discounts' | 'terms'>): InvoiceDiscount[] {
  return terms.coupons.flatMap((coupon) => {
    const applied = discounts.find(({ couponId }) => couponId === coupon.redemptionId);
    return applied ? [{ ...coupon, amount: applied.amount }] : [];
  });
}
