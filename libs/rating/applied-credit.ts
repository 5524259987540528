import { Decimal, type DecimalString } from '#libs/kernel/core';

/**
 * The part of the amount owed that is paid with a credit, such as a customer's balance. The amount owed includes taxes, and the discounts
 * of coupons are already deducted from it. The applied credit is between zero and the amount owed.
 */
export function appliedCredit(available: DecimalString, owed: DecimalString): Decimal {
  return Decimal.max(Decimal.min(available, owed), 0);
}

/**
 * What a customer's balance takes off an invoice over `owed`. A balance below zero is a debt of earlier invoices. The invoice collects the
 * whole debt, so the result is below zero. An invoice over nothing collects no debt.
 */
export function appliedBalance(balance: DecimalString, owed: DecimalString): Decimal {
  const debt = new Decimal(balance);
  if (debt.isNegative()) return new Decimal(owed).gt(0) ? debt : new Decimal(0);
  return appliedCredit(balance, owed);
}
