import { Decimal, sumOf, type DecimalString } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';

/**
 * The quantity that is multiplied by the line's unit price. Free units are not included, so that quantity × unit price is the amount. If
 * the line has no single unit price, the charged quantity is the whole quantity.
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
