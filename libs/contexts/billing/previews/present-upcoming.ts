import { jsonNumber } from '#libs/kernel/core';
import { presentDiscounts, presentInvoiceLine, presentTax } from '#libs/contexts/invoicing';
import type { InvoicePreview } from './bill-previews.js';

/** Converts a preview to its form in the API. The fields have the same shape as the fields of an invoice. */
export function presentUpcoming(invoice: InvoicePreview) {
  const { lines, subtotal, discounts, taxes, total, balanceCredited, balanceApplied, amountDue, ...about } =
    invoice;
  return {
    ...about,
    lines: lines.map((line) => presentInvoiceLine(line, about.subscriptionId)),
    subtotal: jsonNumber(subtotal),
    discounts: presentDiscounts(discounts),
    taxes: taxes.map(presentTax),
    total: jsonNumber(total),
    balanceCredited: jsonNumber(balanceCredited),
    balanceApplied: jsonNumber(balanceApplied),
    amountDue: jsonNumber(amountDue),
  };
}
