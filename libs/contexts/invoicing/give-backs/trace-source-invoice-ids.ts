import type { InvoiceLine } from '#libs/rating';
import { sourceInvoiceIds } from './give-back.js';

/**
 * The maximum number of earlier invoices that a search visits. A subscription whose terms change every day for a year has fewer earlier
 * invoices than the maximum.
 */
const MAX_SOURCES = 400;

type LinesWithGiveBacks = readonly Pick<InvoiceLine, 'givesBack'>[];

/**
 * Finds the ids of the earlier invoices whose charges the lines give back, in the order of the lines. After these ids come the ids of the
 * invoices whose charges those earlier invoices give back, and so on. Each invoice id is returned once, the most direct invoices first.
 * `linesOf` reads the lines of an invoice. `linesOf` is called only when the next id is needed.
 */
export async function* traceSourceInvoiceIds(
  lines: LinesWithGiveBacks,
  linesOf: (invoiceId: string) => Promise<LinesWithGiveBacks>,
): AsyncGenerator<string> {
  const found = new Set(sourceInvoiceIds(lines));
  // The iteration of a set includes elements that are added during the loop.
  for (const invoiceId of found) {
    yield invoiceId;
    if (found.size >= MAX_SOURCES) continue;
    for (const earlier of sourceInvoiceIds(await linesOf(invoiceId))) found.add(earlier);
  }
}
