import { jsonNumber } from '#libs/kernel/core';
import { presentDiscounts, presentInvoiceLine, presentTax } from '#libs/contexts/invoicing';
import type { InvoicePreview } from './bill-previews.js';

/** A preview as the API shows it. Its fields have the same shape as those of an invoice. */
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
