import { moneyString, sumOf } from '#libs/kernel/core';
import type { AppliedTax, Charge, EarlierUsageCharges, InvoiceLine } from '#libs/rating';
import {
  sumOfRemainingAmounts,
  sourceLinesCreditableBy,
  restoreSourceLines,
  type SourceInvoice,
} from './source-lines.js';

/**
 * The part of a charge's usage that these earlier invoices have already charged. Undefined if there are no earlier invoices. `sources` are
 * the lines of the earlier invoices with their remaining amounts, newest invoice first. `laterInvoiceId` is the invoice that deducts this
 * usage.
 */
export function earlierUsageCharges(
  charge: Charge,
  invoices: readonly SourceInvoice[],
  laterInvoiceId: string,
): EarlierUsageCharges | undefined {
  const last = invoices.at(-1);
  if (!last) return undefined;
  const { currency } = last;
  const counted = last.lines.filter((line) => line.type === 'usage' && isUsageLineOfCharge(line, charge));
  const sources = invoices
    .toReversed()
    .flatMap((one) =>
      sourceLinesCreditableBy(laterInvoiceId, one, (line) => isUsageLineOfCharge(line, charge)),
    );
  return {
    invoiceIds: invoices.map(({ invoiceId }) => invoiceId),
    billed: moneyString(sumOf(counted.map(({ amount }) => amount)), currency),
    atMost: sumOfRemainingAmounts(sources, currency),
    sources,
  };
}

/** Restores, from the lines of an invoice, the {@link EarlierUsageCharges} with which the invoice was computed. */
export function restoreEarlierUsageCharges(
  invoice: { readonly lines: readonly InvoiceLine[]; readonly taxes?: readonly AppliedTax[] },
  charge: Charge,
): EarlierUsageCharges | undefined {
  const isOf = (line: InvoiceLine) => line.type === 'progressive_credit' && isUsageLineOfCharge(line, charge);
  const invoiced = invoice.lines.find(isOf)?.invoiced;
  return invoiced && { ...invoiced, sources: restoreSourceLines(invoice, isOf) };
}

/** Tells whether an invoice line is for usage of this charge. The line can end earlier than the charge. */
export function isUsageLineOfCharge(
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
