import type { NewInvoice } from '#libs/contexts/invoicing';
import { computeInvoice, type ComputedInvoice, type InvoiceItem } from '#libs/rating';
import type { InvoicePricingTerms } from '../price/billing-terms-finder.js';
import { discountsOf } from './new-invoice.js';

/**
 * The computed amounts of an invoice of items without a catalog price, such as a manual invoice. `total` is never negative. `excess` is the
 * amount by which the sum of the lines is below zero.
 */
export interface PricedItems
  extends
    Pick<NewInvoice, 'lines' | 'discounts' | 'taxes' | 'taxRateIds' | 'total'>,
    Pick<ComputedInvoice, 'excess'> {}

/** Prices items without a catalog price, such as the items of a manual invoice, with the taxes and coupons of `terms`. */
export function priceItems(
  items: readonly InvoiceItem[],
  { invoiceId, currency }: { invoiceId: string; currency: string },
  terms: Pick<InvoicePricingTerms, 'taxRates' | 'namedTaxRates' | 'coupons'>,
): PricedItems {
  const coupons = terms.coupons.map(({ redemptionId: couponId, discount, priceIds }) => ({
    couponId,
    discount,
    ...(priceIds ? { priceIds } : {}),
  }));
  const { taxRates, namedTaxRates } = terms;
  const computed = computeInvoice({
    invoiceId,
    currency,
    charges: [],
    items,
    coupons,
    taxRates,
    ...(namedTaxRates ? { namedTaxRates } : {}),
  });
  const { lines, taxes, taxRateIds, total, excess } = computed;
  const discounts = discountsOf({ discounts: computed.discounts, terms });
  return {
    lines,
    total,
    excess,
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(taxes.length > 0 ? { taxes: [...taxes] } : {}),
    ...(taxRateIds ? { taxRateIds: [...taxRateIds] } : {}),
  };
}
