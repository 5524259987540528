import { sumOf, type Decimal, type DecimalString } from '#libs/kernel/core';

/** Sums amounts by price. Prices keep the order of their first amount. */
export function sumByPrice<Id extends string | null>(
  parts: readonly { priceId: Id; amount: DecimalString | Decimal }[],
): { priceId: Id; amount: DecimalString }[] {
  return [...Map.groupBy(parts, ({ priceId }) => priceId)].map(([priceId, ofPrice]) => ({
    priceId,
    amount: sumOf(ofPrice.map(({ amount }) => amount)).toFixed(),
  }));
}
