import { Decimal } from '#libs/kernel/core';
import type { Charge, InvoicedBefore, InvoiceLine } from '#libs/rating';
import { invoicedBeforeOn } from './invoiced-before.js';

/**
 * What is wrong with the usage that an invoice leaves out because it was invoiced before. It must be exactly what the invoices that its
 * bill names had charged. What is left of them by now can be less than it was then.
 */
export function invoicedProblems(
  lines: readonly InvoiceLine[],
  charges: readonly Charge[],
  before: (charge: Charge) => InvoicedBefore | undefined,
): string[] {
  return charges.flatMap((charge) => {
    const must = before(charge);
    if (!must || new Decimal(must.billed).isZero()) return [];
    const name = `usage of ${charge.price.priceId} from ${charge.service.start}`;
    const found = invoicedBeforeOn({ lines }, charge);
    if (!found) return [`${name} was invoiced before, and is charged once more`];
    return [
      ...(found.billed === must.billed
        ? []
        : [`${name} is taken to have come to ${found.billed} before, and it had come to ${must.billed}`]),
      ...(found.invoiceIds.join() === must.invoiceIds.join()
        ? []
        : [`${name} is taken to be on ${found.invoiceIds.join()}, and it is on ${must.invoiceIds.join()}`]),
      ...(new Decimal(found.atMost).isNegative() ? [`${name} could be given back ${found.atMost}`] : []),
    ];
  });
}
