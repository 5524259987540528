import { type Decimal, jsonNumber, moneyString, sumOf } from '#libs/kernel/core';
import type { BookMonth } from '#libs/contexts/revenue';
import { MOVEMENT_KINDS, type MovementKind, type MovementTotal } from '#projections/recurring-revenue';

/** Returns the monthly recurring revenue of each month and currency, and its changes, in the form of the API response. */
export function presentMrr(months: readonly BookMonth[], movements: readonly MovementTotal[]) {
  const currencies = [...new Set(movements.map(({ currency }) => currency))].sort();
  return months.flatMap((month) =>
    currencies.map((currency) => {
      const own = movements.filter((one) => one.currency === currency);
      const money = (amount: Decimal) => jsonNumber(moneyString(amount, currency));
      const total = (isWanted: (one: MovementTotal) => boolean) =>
        sumOf(own.filter(isWanted).map(({ amount }) => amount));
      const of = (kind: MovementKind) => total((one) => one.month === month && one.kind === kind);
      return {
        month,
        currency,
        opening: money(total((one) => one.month < month)),
        ...Object.fromEntries(MOVEMENT_KINDS.map((kind) => [kind, money(of(kind))])),
        mrr: money(total((one) => one.month <= month)),
      };
    }),
  );
}
