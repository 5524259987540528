import { Decimal, sumOf, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';

/**
 * The quantity that the line's unit price is multiplied by. Free units are left out, so that quantity × price is the amount. The whole
 * quantity where there is no one price.
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
