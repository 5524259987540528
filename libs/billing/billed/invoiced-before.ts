import { Decimal, moneyString, roundToCurrency, sumOf } from '#libs/core';
import type { Invoice } from '#libs/invoicing';
import type { Charge, InvoicedBefore, InvoiceLine } from '#libs/rating';
import { sumLeft } from './line-left.js';

/** An invoice, or what it will be. */
export type ChargingInvoice = Pick<
  Invoice,
  'invoiceId' | 'currency' | 'lines' | 'status' | 'creditNotes' | 'total'
>;

/** What these invoices charged for usage within the time of a charge, in their order; undefined if they are none. */
export function invoicedBefore(
  charge: Charge,
  invoices: readonly ChargingInvoice[],
): InvoicedBefore | undefined {
  const last = invoices.at(-1);
  if (!last) return undefined;
  const { currency } = last;
  const ofCharge = ({ lines }: ChargingInvoice) => lines.filter((line) => isWithin(line, charge));
  const counted = ofCharge(last).filter(({ type }) => type === 'usage');
  const left = sumOf(invoices.map((invoice) => sumLeft(invoice, ofCharge(invoice))));
  return {
    invoiceIds: invoices.map(({ invoiceId }) => invoiceId),
    billed: moneyString(sumOf(counted.map(({ amount }) => amount)), currency),
    atMost: moneyString(roundToCurrency(Decimal.max(left, 0), currency), currency),
  };
}

/** The same as an invoice says that it went by. */
export function invoicedBeforeOn(lines: readonly InvoiceLine[], charge: Charge): InvoicedBefore | undefined {
  return lines.find((line) => line.type === 'progressive_credit' && isWithin(line, charge))?.invoiced;
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
