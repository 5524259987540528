import { Decimal, type DecimalString } from '#libs/kernel/core';

/**
 * The part of the amount owed that is paid with a credit, such as a customer's balance. The amount owed includes taxes, and the discounts
 * of coupons are already deducted from it. The applied credit is between zero and the amount owed.
 */
export function appliedCredit(available: DecimalString, owed: DecimalString): Decimal {
  return Decimal.max(Decimal.min(available, owed), 0);
}
