import { Decimal, sumOf, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';

/**
 * The quantity that a line's one unit price is for: without the units that cost nothing, so that quantity × price is what is charged.
 * The whole quantity where there is no one price.
 */
export function chargedQuantity({
  quantity,
  unitPrice,
  tiers = [],
}: Pick<InvoiceLine, 'quantity' | 'unitPrice' | 'tiers'>): DecimalString {
  if (unitPrice === undefined) return quantity;
  const free = sumOf(tiers.flatMap((tier) => (tier.free ? [tier.quantity] : [])));
  return new Decimal(quantity).minus(free).toFixed();
}
