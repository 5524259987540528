import { moneyString, sumOf } from '#libs/kernel/core';
import type { AppliedTax, Charge, InvoicedBefore, InvoiceLine } from '#libs/rating';
import { leftOf, sourceLines, sourceLinesOn, type ChargingInvoice } from './source-lines.js';

/**
 * What these invoices charged for usage within the time of a charge, in their order; undefined if they are none. What is left of that is of the
 * newest first. `byInvoiceId`: the invoice that leaves it out.
 */
export function invoicedBefore(
  charge: Charge,
  invoices: readonly ChargingInvoice[],
  byInvoiceId: string,
): InvoicedBefore | undefined {
  const last = invoices.at(-1);
  if (!last) return undefined;
  const { currency } = last;
  const counted = last.lines.filter((line) => line.type === 'usage' && isWithin(line, charge));
  const sources = invoices
    .toReversed()
    .flatMap((one) => sourceLines(byInvoiceId, one, (line) => isWithin(line, charge)));
  return {
    invoiceIds: invoices.map(({ invoiceId }) => invoiceId),
    billed: moneyString(sumOf(counted.map(({ amount }) => amount)), currency),
    atMost: leftOf(sources, currency),
    sources,
  };
}

/** The same as an invoice says that it went by. */
export function invoicedBeforeOn(
  invoice: { readonly lines: readonly InvoiceLine[]; readonly taxes?: readonly AppliedTax[] },
  charge: Charge,
): InvoicedBefore | undefined {
  const isOf = (line: InvoiceLine) => line.type === 'progressive_credit' && isWithin(line, charge);
  const invoiced = invoice.lines.find(isOf)?.invoiced;
  return invoiced && { ...invoiced, sources: sourceLinesOn(invoice, isOf) };
}

/** Whether a line is of the usage that a charge is for, up to whichever time. */
export function isWithin(
  { type, priceId, priceVersion, periodStart }: InvoiceLine,
  { price, service }: Charge,
): boolean {
  return (
    (type === 'usage' || type === 'progressive_credit') &&
    priceId === price.priceId &&
    priceVersion === price.version &&
    periodStart === service.start
  );
}
