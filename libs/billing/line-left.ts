import { Decimal, sumOf } from '#libs/core';
import { linesOfWhole, type Invoice } from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';

/** What of an invoice, or of a subscription's part of one, says how much of a line is left. */
export type Settled = Pick<Invoice, 'status' | 'creditNotes' | 'total' | 'lines'>;

/**
 * The share of a line that credit notes have not given back. One over an amount is of all lines that charge something, in proportion:
 * what other lines had given back was not paid with the invoice, and is not credited with it.
 */
export function uncreditedShare(invoice: Omit<Settled, 'status'>, line: InvoiceLine): Decimal {
  const { creditNotes } = invoice;
  if (creditNotes.length === 0 || new Decimal(line.amount).isZero()) return new Decimal(1);
  const ofLine = sumOf(
    creditNotes.flatMap((note) => note.lines.filter(({ id }) => id === line.id).map(({ amount }) => amount)),
  );
  const ofAll = sumOf(creditNotes.filter((note) => note.lines.length === 0).map((note) => note.total));
  const credited = ofLine.dividedBy(line.amount).plus(ofAll.isZero() ? 0 : ofAll.dividedBy(charged(invoice)));
  return Decimal.max(new Decimal(1).minus(credited), 0);
}

/** What of a line that was billed is left: less what coupons took off and credit notes gave back; nothing of a void invoice. */
export function lineLeft(invoice: Settled, line: InvoiceLine): Decimal {
  if (invoice.status === 'void') return new Decimal(0);
  const net = netOf(line);
  return net.isNegative() ? net : net.times(uncreditedShare(invoice, line));
}

/** What the lines that charge something come to, with their taxes. */
function charged(invoice: Pick<Settled, 'total' | 'lines'>): Decimal {
  const net = linesOfWhole(invoice).map(netOf);
  const positive = sumOf(net.filter((amount) => amount.gt(0)));
  return positive.times(invoice.total).dividedBy(sumOf(net));
}

function netOf({ amount, discount = '0' }: InvoiceLine): Decimal {
  return new Decimal(amount).minus(discount);
}
