import { Decimal, type DecimalString } from '#libs/kernel/core';

/** Buys `credits` when the balance has come down to `threshold`. */
export interface AutoTopUp {
  readonly threshold: DecimalString;
  readonly credits: DecimalString;
}

/** Whether a balance calls for a top-up: at the threshold or below. */
export function isTopUpDue({ threshold }: AutoTopUp, balance: DecimalString): boolean {
  return new Decimal(balance).lte(threshold);
}
