import { Decimal, sumOf, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';

/**
 * The quantity that is multiplied by the line's unit price. It does not include free units, so that quantity × price is the amount. If
 * there is no single price, it is the whole quantity.
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
