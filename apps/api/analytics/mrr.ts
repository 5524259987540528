import { type Decimal, jsonNumber, moneyString, sumOf } from '#libs/kernel/core';
import type { BookMonth } from '#libs/contexts/revenue';
import type { MovementKind, MovementTotal } from '#projections/recurring-revenue';
import type { MrrMonthView } from './analytics.dto.js';

/** Returns the monthly recurring revenue of each month and currency, and its changes, in the form of the API response. */
export function presentMrr(
  months: readonly BookMonth[],
  movements: readonly MovementTotal[],
): MrrMonthView[] {
  const currencies = [...new Set(movements.map(({ currency }) => currency))].sort();
  return months.flatMap((month) =>
    currencies.map((currency): MrrMonthView => {
      const own = movements.filter((one) => one.currency === currency);
      const money = (amount: Decimal) => jsonNumber(moneyString(amount, currency));
      const total = (isWanted: (one: MovementTotal) => boolean) =>
        sumOf(own.filter(isWanted).map(({ amount }) => amount));
      const of = (kind: MovementKind) => money(total((one) => one.month === month && one.kind === kind));
      return {
        month,
        currency,
        opening: money(total((one) => one.month < month)),
        new: of('new'),
        expansion: of('expansion'),
        contraction: of('contraction'),
        churn: of('churn'),
        mrr: money(total((one) => one.month <= month)),
      };
    }),
  );
}
