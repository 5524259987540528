import { jsonNumber } from '#libs/kernel/core';
import {
  presentCreditsUsed,
  presentDiscounts,
  presentInvoiceLine,
  presentTax,
} from '#libs/contexts/invoicing';
import type { InvoicePreview } from './bill-previewer.js';

/** Converts the preview of an invoice to its form in the API. The fields of a preview have the same shape as the fields of an invoice. */
export function presentInvoicePreview(invoice: InvoicePreview) {
  const { lines, creditsUsed, subtotal, discounts, taxes, total, ...rest } = invoice;
  const { balanceCredited, balanceApplied, amountDue, ...about } = rest;
  return {
    ...about,
    lines: lines.map((line) => presentInvoiceLine(line, about.subscriptionId)),
    creditsUsed: creditsUsed.map(presentCreditsUsed),
    subtotal: jsonNumber(subtotal),
    discounts: presentDiscounts(discounts),
    taxes: taxes.map(presentTax),
    total: jsonNumber(total),
    balanceCredited: jsonNumber(balanceCredited),
    balanceApplied: jsonNumber(balanceApplied),
    amountDue: jsonNumber(amountDue),
  };
}
