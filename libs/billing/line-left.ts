import { Decimal } from '#libs/core';
import { linesLeft, type GivingInvoice } from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';

/** The share of a line that has not been given back. */
export function uncreditedShare(invoice: GivingInvoice, line: InvoiceLine): Decimal {
  const found = linesLeft(invoice).find(({ lineId }) => lineId === line.id);
  if (!found || new Decimal(found.net).isZero()) return new Decimal(1);
  return new Decimal(found.left).dividedBy(found.net);
}

/** What of a line that was billed is left; below zero for a line that gives back. Nothing of a void invoice. */
export function lineLeft(invoice: GivingInvoice, line: InvoiceLine): Decimal {
  if (invoice.status === 'void') return new Decimal(0);
  const net = new Decimal(line.amount).minus(line.discount ?? 0);
  const { creditNotes, givenBack = [] } = invoice;
  if (net.isNegative() || creditNotes.length + givenBack.length === 0) return net;
  return new Decimal(linesLeft(invoice).find(({ lineId }) => lineId === line.id)!.left);
}
