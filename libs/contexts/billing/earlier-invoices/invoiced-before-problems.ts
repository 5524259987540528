import { Decimal } from '#libs/kernel/core';
import type { Charge, EarlierUsageCharges, InvoiceLine } from '#libs/rating';
import { restoreEarlierUsageCharges } from './earlier-usage-charges.js';

/**
 * Checks the usage that is deducted from an invoice because earlier invoices charged it. The bill names these invoices. The deducted amount
 * must equal the charges of the earlier invoices. The remaining amounts of these charges are not compared, because they may have become
 * smaller meanwhile. Returns the problems.
 */
export function earlierUsageChargeProblems(
  lines: readonly InvoiceLine[],
  charges: readonly Charge[],
  before: (charge: Charge) => EarlierUsageCharges | undefined,
): string[] {
  return charges.flatMap((charge) => {
    const must = before(charge);
    if (!must || new Decimal(must.billed).isZero()) return [];
    const name = `usage of ${charge.price.priceId} from ${charge.service.start}`;
    const found = restoreEarlierUsageCharges({ lines }, charge);
    if (!found) return [`${name} was invoiced before, and is charged again`];
    return [
      ...(found.billed === must.billed
        ? []
        : [`${name}: the invoice deducts ${found.billed}, but earlier invoices charged ${must.billed}`]),
      ...(found.invoiceIds.join() === must.invoiceIds.join()
        ? []
        : [
            `${name}: the invoice names ${found.invoiceIds.join()} as its earlier invoices, but ${must.invoiceIds.join()} charged it`,
          ]),
      ...(new Decimal(found.atMost).isNegative()
        ? [`${name} has a negative remaining amount: ${found.atMost}`]
        : []),
    ];
  });
}
