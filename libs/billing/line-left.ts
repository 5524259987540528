import { Decimal, sumOf } from '#libs/core';
import type { Invoice } from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';

/** What of an invoice says how much of a line is left. */
export type Settled = Pick<Invoice, 'status' | 'creditNotes' | 'total'>;

/** The share of a line that credit notes have not given back; one over an amount is of all lines, in proportion. */
export function uncreditedShare({ creditNotes, total }: Omit<Settled, 'status'>, line: InvoiceLine): Decimal {
  if (creditNotes.length === 0 || new Decimal(line.amount).isZero()) return new Decimal(1);
  const ofLine = sumOf(
    creditNotes.flatMap((note) => note.lines.filter(({ id }) => id === line.id).map(({ amount }) => amount)),
  );
  const ofAll = sumOf(creditNotes.filter((note) => note.lines.length === 0).map((note) => note.total));
  const credited = ofLine
    .dividedBy(line.amount)
    .plus(new Decimal(total).isZero() ? 0 : ofAll.dividedBy(total));
  return Decimal.max(new Decimal(1).minus(credited), 0);
}

/** What is left of a line that was billed: less what coupons took off and credit notes gave back; nothing of a void invoice. */
export function lineLeft(invoice: Settled, line: InvoiceLine): Decimal {
  if (invoice.status === 'void') return new Decimal(0);
  const net = new Decimal(line.amount).minus(line.discount ?? 0);
  return net.isNegative() ? net : net.times(uncreditedShare(invoice, line));
}
