import { jsonNumber } from '#libs/kernel/core';
import type { AppliedTax } from '#libs/rating';
import type { CreditsUsed, InvoiceDiscount } from './events.js';

/** Converts the discounts of an invoice or a preview to their form in the API. */
export function presentDiscounts(discounts: readonly InvoiceDiscount[]) {
  return discounts.map(({ redemptionId, couponId, name, amount, carriedFrom }) => ({
    redemptionId,
    couponId,
    name,
    amount: jsonNumber(amount),
    ...(carriedFrom === undefined ? {} : { carriedFrom }),
  }));
}

/** Converts used credits of an invoice or a preview to their form in the API. */
export function presentCreditsUsed({
  creditType,
  creditTypeName,
  metricId,
  metricName,
  credits,
}: CreditsUsed) {
  return { creditType, creditTypeName, metricId, metricName, credits: jsonNumber(credits) };
}

/** Converts a tax of an invoice or a preview to its form in the API. */
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
