import { Decimal, type DecimalString } from '#libs/kernel/core';

/**
 * The part of the amount owed, after coupons and taxes, that is paid with a credit such as a customer's balance. It is between zero and the
 * amount owed.
 */
export function appliedCredit(available: DecimalString, owed: DecimalString): Decimal {
  return Decimal.max(Decimal.min(available, owed), 0);
}
