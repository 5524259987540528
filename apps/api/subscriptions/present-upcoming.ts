import type { AmendmentResult, InvoiceToCome } from '#libs/billing';
import { jsonNumber } from '#libs/core';
import { presentDiscounts, presentInvoiceLine, presentTax } from '#libs/invoicing';
import { presentAmendment, presentPreviewedAmendment, presentSubscription } from '#libs/subscriptions';

/** A preview as the API shows it: as far as it goes, like the invoice that it will be. */
export function presentUpcoming(invoice: InvoiceToCome) {
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

/** What a change of terms came to. */
export function presentAmendmentResult(result: AmendmentResult) {
  return { amendment: presentAmendment(result.amendment), ...presentConsequences(result) };
}

/** What a change of terms would come to. */
export function presentAmendmentPreview(result: AmendmentResult) {
  return { amendment: presentPreviewedAmendment(result.amendment), ...presentConsequences(result) };
}

function presentConsequences({ subscription, invoice }: AmendmentResult) {
  return { subscription: presentSubscription(subscription), invoice: invoice && presentUpcoming(invoice) };
}
