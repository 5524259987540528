import { ratesOfLine, type InvoiceLine, type TaxRate } from '#libs/rating';
import type { InvoiceDetails } from './events.js';

/** The rates that a line of an invoice was taxed by, as they were charged; none for what was not taxed. */
export function taxRatesOfLine(
  { taxes = [] }: Pick<InvoiceDetails, 'taxes'>,
  line: Pick<InvoiceLine, 'taxRateIds'>,
): TaxRate[] {
  return ratesOfLine(taxes, line);
}
