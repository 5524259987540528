import { Decimal, deriveId, moneyString, roundToCurrency, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';
import type { Period } from './periods.js';

/** Something that is charged for by hand, without a price of the catalog. */
export interface InvoiceItem {
  readonly description: string;
  readonly quantity: DecimalString;
  /** With any digits; below zero on what takes something off. */
  readonly unitPrice: DecimalString;
  /** The period of the item; an instant for an immediate delivery. */
  readonly period: Period;
  /** The tax rates on the item, instead of the invoice's rates; empty if it is not taxed. Absent: the invoice's own. */
  readonly taxRateIds?: readonly string[];
}

/** A line for each item, rounded once. */
export function itemLines(
  items: readonly InvoiceItem[],
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine[] {
  return items.map(({ description, quantity, unitPrice, period, taxRateIds }, i) => ({
    id: deriveId('line', invoiceId, 'item', String(i)),
    type: 'manual',
    description,
    priceId: null,
    priceVersion: null,
    quantity,
    unitPrice,
    amount: moneyString(roundToCurrency(new Decimal(quantity).times(unitPrice), currency), currency),
    periodStart: period.start,
    periodEnd: period.end,
    ...(taxRateIds === undefined ? {} : { taxRateIds: [...taxRateIds] }),
  }));
}
