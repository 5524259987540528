import { Decimal } from '#libs/kernel/core';
import type { Invoice } from '#libs/contexts/invoicing';
import type { InvoiceLine, Period } from '#libs/rating';
import { hasOwnTime } from './line-view.js';

/**
 * The lines that the documents of an invoice print. Lines of quantity 0 without an amount are left out, unless the invoice's settings say so.
 * If all lines are such lines, all are printed, because a document without lines explains nothing.
 */
export function printedLines({
  lines,
  settings: { printZeroLines = true },
}: Invoice): readonly InvoiceLine[] {
  if (printZeroLines) return lines;
  const isZero = ({ quantity, amount }: InvoiceLine) =>
    new Decimal(quantity).isZero() && new Decimal(amount).isZero();
  const printed = lines.filter((line) => !isZero(line));
  return printed.length > 0 ? printed : lines;
}

/**
 * The time of what an invoice charges and gives back: from the first start to the last end of its printed lines. Credits that are bought or
 * billed at one instant do not count. `periodStart` and `periodEnd` of the invoice are the billing period that ended, so the fees in advance
 * of the next period are not in it. An invoice must state when its services are supplied (EN 16931, BG-14).
 */
export function servicePeriod(invoice: Invoice): Period {
  const lines = printedLines(invoice).filter(hasOwnTime);
  const starts = lines.map(({ periodStart }) => periodStart).toSorted();
  const ends = lines.map(({ periodEnd }) => periodEnd).toSorted();
  return { start: starts[0] ?? invoice.periodStart, end: ends.at(-1) ?? invoice.periodEnd };
}
