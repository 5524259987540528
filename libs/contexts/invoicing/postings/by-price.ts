import { sumOf, type Decimal, type DecimalString } from '#libs/kernel/core';

/** The sum for each price, in the order of the first of each. */
export function byPrice<Id extends string | null>(
  parts: readonly { priceId: Id; amount: DecimalString | Decimal }[],
): { priceId: Id; amount: DecimalString }[] {
  return [...Map.groupBy(parts, ({ priceId }) => priceId)].map(([priceId, ofPrice]) => ({
    priceId,
    amount: sumOf(ofPrice.map(({ amount }) => amount)).toFixed(),
  }));
}
