import { Decimal, type DecimalString } from '#libs/kernel/core';

/** What a credit, such as a customer's balance, pays of what is owed after coupons and taxes: at most that, never less than nothing. */
export function appliedCredit(available: DecimalString, owed: DecimalString): Decimal {
  return Decimal.max(Decimal.min(available, owed), 0);
}
