import type { UpcomingInvoice } from '#libs/billing';
import { jsonNumber } from '#libs/core';
import { presentDiscounts, presentInvoiceLine, presentTax } from '#libs/invoicing';

/** A preview as the API shows it: as far as it goes, like the invoice that it will be. */
export function presentUpcoming({ subtotal, discounts, taxes, total, lines, ...invoice }: UpcomingInvoice) {
  return {
    ...invoice,
    lines: lines.map(presentInvoiceLine),
    subtotal: jsonNumber(subtotal),
    discounts: presentDiscounts(discounts),
    taxes: taxes.map(presentTax),
    total: jsonNumber(total),
  };
}
