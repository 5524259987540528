import { ratesOfLine, type InvoiceLine, type TaxRate } from '#libs/rating';
import type { InvoiceDetails } from './events.js';

/** The tax rates that were charged on a line of an invoice. The list is empty if the line was not taxed. */
export function taxRatesOfLine(
  { taxes = [] }: Pick<InvoiceDetails, 'taxes'>,
  line: Pick<InvoiceLine, 'taxRateIds'>,
): TaxRate[] {
  return ratesOfLine(taxes, line);
}
