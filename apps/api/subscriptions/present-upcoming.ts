import type { UpcomingInvoice } from '#libs/billing';
import { jsonNumber } from '#libs/core';
import { presentInvoiceLine } from '#libs/invoicing';

/** A preview as the API shows it: as far as it goes, like the invoice that it will be. */
export function presentUpcoming({ total, lines, ...invoice }: UpcomingInvoice) {
  return { ...invoice, total: jsonNumber(total), lines: lines.map(presentInvoiceLine) };
}
