import { sumOf, type Decimal, type DecimalString } from '#libs/kernel/core';

/** Sums amounts by price. The result lists the prices in the order in which they first occur. */
export function sumByPrice<Id extends string | null>(
  parts: readonly { priceId: Id; amount: DecimalString | Decimal }[],
): { priceId: Id; amount: DecimalString }[] {
  return [...Map.groupBy(parts, ({ priceId }) => priceId)].map(([priceId, ofPrice]) => ({
    priceId,
    amount: sumOf(ofPrice.map(({ amount }) => amount)).toFixed(),
  }));
}
