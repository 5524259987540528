import type { InvoiceLine } from '#libs/rating';
import { sourcesOf } from './give-back.js';

/** A subscription whose terms change every day for a year gives back of so many invoices, one after the other. */
const MAX_SOURCES = 400;

type Giving = readonly Pick<InvoiceLine, 'givesBack'>[];

/**
 * The invoices that lines give back of, in the order of the lines. Then the invoices that those gave back of, and so on. Each comes once,
 * the nearest first. `linesOf` looks up the lines of one. They are looked up as they are asked for, and no more than 400.
 */
export async function* givingBackFrom(
  lines: Giving,
  linesOf: (invoiceId: string) => Promise<Giving>,
): AsyncGenerator<string> {
  const found = new Set(sourcesOf(lines));
  // A set goes on to what is added to it meanwhile.
  for (const invoiceId of found) {
    yield invoiceId;
    if (found.size >= MAX_SOURCES) continue;
    for (const earlier of sourcesOf(await linesOf(invoiceId))) found.add(earlier);
  }
}
