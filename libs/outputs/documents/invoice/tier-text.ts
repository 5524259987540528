import type { Language } from '#libs/kernel/core';
import type { RatedTier } from '#libs/rating';
import { wordingOf } from '../languages/index.js';
import { formatsOf } from './format.js';

/** The price of a tier in words, such as `Up to 1,000: 1,000 × $0.10 + $5.00`. `isFirst` is true if the tier is the lowest one. */
export function tierText(tier: RatedTier, isFirst: boolean, currency: string, language: Language): string {
  const { upTo, unitPrice, flatAmount, free, events, packages, packageSize, packagePrice } = tier;
  const { tier: words } = wordingOf(language);
  const {
    exactMoney,
    unitPrice: priceText,
    quantity: number,
    percentage,
    isSingular: isOne,
  } = formatsOf(language);
  const money = (amount: string) => exactMoney(amount, currency);
  const quantity = number(tier.quantity);
  const inEvents = (what: string) =>
    events === undefined ? what : words.inEvents(what, number(String(events)), isOne(events));
  if (free) return inEvents(words.free(quantity));
  if (packages !== undefined) {
    const count = number(String(packages));
    return words.packages(quantity, count, isOne(packages), number(packageSize!), money(packagePrice!));
  }
  if (tier.rate !== undefined) {
    const { rate, fixedFee } = tier;
    const text = inEvents(words.percentageOf(percentage(rate), quantity));
    return fixedFee === undefined ? text : `${text} + ${words.eachEvent(money(fixedFee))}`;
  }
  // A tier without a unit price costs only its flat amount, which the row shows anyway.
  if (unitPrice === undefined && flatAmount !== undefined)
    return upTo !== null
      ? words.upTo(number(upTo), quantity)
      : isFirst
        ? words.flat(quantity)
        : words.above(quantity);
  const each = unitPrice === undefined ? '' : ` × ${priceText(unitPrice, currency)}`;
  const text = `${quantity}${each}${flatAmount === undefined ? '' : ` + ${money(flatAmount)}`}`;
  return upTo !== null ? words.upTo(number(upTo), text) : isFirst ? text : words.above(text);
}
