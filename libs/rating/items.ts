import { Decimal, deriveId, moneyString, roundToCurrency, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine, LineType } from './invoice-line.js';
import type { Period } from './periods.js';

/** An item that has no price in the catalog. */
export interface InvoiceItem {
  readonly description: string;
  readonly quantity: DecimalString;
  /** The price of one unit, with any number of decimals. It is negative for an item that reduces the invoice. */
  readonly unitPrice: DecimalString;
  /** The period of the item. It is an instant for an immediate delivery. */
  readonly period: Period;
  /** The type of the item's line. If absent, it is `manual`. */
  readonly type?: LineType;
  /** The subscription of the line, if the invoice has several. */
  readonly subscriptionId?: string;
  /** The metric of an overage. */
  readonly metricId?: string;
  /** The credit type of an overage or a credit purchase. */
  readonly creditType?: string;
  /** The tax rates on the item, instead of the invoice's rates. Empty if the item is not taxed. If absent, the invoice's rates apply. */
  readonly taxRateIds?: readonly string[];
}

/** Returns one line for each item. Its amount is rounded once. */
export function linesOfItems(
  items: readonly InvoiceItem[],
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine[] {
  return items.map(({ type = 'manual', description, quantity, unitPrice, period, taxRateIds, ...of }, i) => ({
    id: deriveId('line', invoiceId, 'item', String(i)),
    type,
    description,
    priceId: null,
    priceVersion: null,
    ...of,
    quantity,
    unitPrice,
    amount: moneyString(roundToCurrency(new Decimal(quantity).times(unitPrice), currency), currency),
    periodStart: period.start,
    periodEnd: period.end,
    ...(taxRateIds === undefined ? {} : { taxRateIds: [...taxRateIds] }),
  }));
}
