import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { InvoiceLine } from '#libs/rating';
import type { InvoiceDetails } from '../events.js';
import { linesWithRevenue, revenuePartsOf } from './invoices.js';
import { sumByPrice } from './sum-by-price.js';

/** The revenue of one price. `priceId` is null for lines without a price. */
export interface PriceRevenue {
  readonly priceId: string | null;
  readonly amount: DecimalString;
}

/**
 * The revenue of an invoice that is earned up to an instant, for each price. The revenue is the amount without discounts and inclusive
 * taxes, by the rules that post the invoice. Prices whose earned revenue is zero are omitted.
 *
 * @param isOwn selects the lines to count; by default, all lines are counted
 */
export function revenueEarnedBy(
  { lines, taxes, currency }: Pick<InvoiceDetails, 'lines' | 'taxes' | 'currency'>,
  by: Instant,
  timezone: string,
  isOwn: (line: InvoiceLine) => boolean = () => true,
): PriceRevenue[] {
  const own = new Set(lines.filter(isOwn).map(({ id }) => id));
  const parts = linesWithRevenue(lines, taxes, currency)
    .filter(({ id }) => own.has(id))
    .flatMap((line) => revenuePartsOf(line, currency, timezone))
    .filter(({ at }) => at === null || at <= by);
  return sumByPrice(parts).filter(({ amount }) => !new Decimal(amount).isZero());
}
