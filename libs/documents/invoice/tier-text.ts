import type { RatedTier } from '#libs/rating';
import { formatQuantity, formatUnitPrice } from './format.js';

/** What a tier prices and how: `Up to 1,000: 1,000 × $0.10 + $5.00`. `isFirst`: nothing is below it. */
export function tierText(tier: RatedTier, isFirst: boolean, currency: string): string {
  const { upTo, quantity, unitPrice, flatAmount, free, packages, packageSize, packagePrice } = tier;
  const money = (amount: string) => formatUnitPrice(amount, currency);
  if (free) {
    const of = tier.events === undefined ? '' : ` in ${count(tier.events, 'event')}`;
    return `Free: ${formatQuantity(quantity)}${of}`;
  }
  if (packages !== undefined)
    return `${formatQuantity(quantity)} in ${count(packages, 'package')} of ${formatQuantity(packageSize!)} × ${money(packagePrice!)}`;
  if (tier.rate !== undefined) {
    const { rate, events, fixedFee } = tier;
    const fees = fixedFee === undefined ? '' : ` + ${money(fixedFee)} each`;
    const of = events === undefined ? '' : ` in ${count(events, 'event')}`;
    return `${formatQuantity(rate)}% of ${formatQuantity(quantity)}${of}${fees}`;
  }
  const bound = upTo !== null ? `Up to ${formatQuantity(upTo)}: ` : isFirst ? '' : 'Above: ';
  const each = unitPrice === undefined ? '' : ` × ${money(unitPrice)}`;
  return `${bound}${formatQuantity(quantity)}${each}${flatAmount === undefined ? '' : ` + ${money(flatAmount)}`}`;
}

function count(number: number | string, what: string): string {
  return `${formatQuantity(String(number))} ${what}${String(number) === '1' ? '' : 's'}`;
}
