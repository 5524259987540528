import { jsonNumber } from '#libs/kernel/core';
import type { AppliedTax } from '#libs/rating';
import type { InvoiceDiscount } from './events.js';

/** The discounts of an invoice or a preview as the API shows them. */
export function presentDiscounts(discounts: readonly InvoiceDiscount[]) {
  return discounts.map(({ redemptionId, couponId, name, amount, carriedFrom }) => ({
    redemptionId,
    couponId,
    name,
    amount: jsonNumber(amount),
    ...(carriedFrom === undefined ? {} : { carriedFrom }),
  }));
}

/** A tax on an invoice or on a preview as the API shows it. */
export function presentTax({ taxRateId, name, percentage, inclusive, taxable, amount }: AppliedTax) {
  return {
    taxRateId,
    name,
    percentage: jsonNumber(percentage),
    inclusive,
    taxable: jsonNumber(taxable),
    amount: jsonNumber(amount),
  };
}
