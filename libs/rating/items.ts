import {
  Decimal,
  deriveId,
  moneyString,
  roundToCurrency,
  type DecimalString,
  type NameTranslations,
} from '#libs/kernel/core';
import type { InvoiceLine, LineType } from './invoice-line.js';
import type { Period } from './periods.js';

/** An item that has no price in the catalog. */
export interface InvoiceItem {
  readonly description: string;
  /** The name in the description in other languages. Absent if there are none. */
  readonly nameTranslations?: NameTranslations;
  readonly quantity: DecimalString;
  /** The price of one unit, with any number of decimals. The unit price is negative for an item that reduces the invoice. */
  readonly unitPrice: DecimalString;
  /** The period of the item. The period is a single instant if the item is delivered at once. */
  readonly period: Period;
  /** The type of the invoice line for the item. If absent, it is `manual`. */
  readonly type?: LineType;
  /** The id of the line's subscription, if the invoice has several subscriptions. */
  readonly subscriptionId?: string;
  /** The metric of an overage. */
  readonly metricId?: string;
  /** The credit type of an overage or a credit purchase. */
  readonly creditType?: string;
  /**
   * The tax rates on the item, instead of the invoice's rates. An empty list means that the item is not taxed. If absent, the invoice's tax
   * rates apply.
   */
  readonly taxRateIds?: readonly string[];
}

/** Returns one invoice line for each item. The amount of each line is rounded once. */
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
