import type { AmendmentResult, InvoiceToCome } from '#libs/billing';
import { jsonNumber } from '#libs/core';
import { presentDiscounts, presentInvoiceLine, presentTax } from '#libs/invoicing';
import { presentAmendment, presentSubscription } from '#libs/subscriptions';

/** A preview as the API shows it: as far as it goes, like the invoice that it will be. */
export function presentUpcoming(invoice: InvoiceToCome) {
  const { lines, subtotal, discounts, taxes, total, balanceCredited, balanceApplied, amountDue, ...about } =
    invoice;
  return {
    ...about,
    lines: lines.map(presentInvoiceLine),
    subtotal: jsonNumber(subtotal),
    discounts: presentDiscounts(discounts),
    taxes: taxes.map(presentTax),
    total: jsonNumber(total),
    balanceCredited: jsonNumber(balanceCredited),
    balanceApplied: jsonNumber(balanceApplied),
    amountDue: jsonNumber(amountDue),
  };
}

/** What a change of terms comes to, or would. */
export function presentAmendmentResult({ amendment, subscription, invoice }: AmendmentResult) {
  return {
    amendment: presentAmendment(amendment),
    subscription: presentSubscription(subscription),
    invoice: invoice && presentUpcoming(invoice),
  };
}
