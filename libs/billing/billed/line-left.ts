import { Decimal, sumOf } from '#libs/core';
import { linesLeft, type GivingInvoice } from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';

/**
 * What is left of lines of an invoice together: see `linesLeft`. A line that gives usage back counts below zero, since that is not recorded on
 * the invoices that it gives back of. Nothing is left of a void invoice.
 */
export function sumLeft(invoice: GivingInvoice, lines: readonly InvoiceLine[]): Decimal {
  if (invoice.status === 'void' || lines.length === 0) return new Decimal(0);
  const left = new Map(linesLeft(invoice).map((line) => [line.lineId, line.left]));
  return sumOf(
    lines.map((line) => {
      const net = new Decimal(line.amount).minus(line.discount ?? 0);
      return net.isNegative() ? net : new Decimal(left.get(line.id)!);
    }),
  );
}
