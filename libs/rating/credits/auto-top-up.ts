import { Decimal, type DecimalString } from '#libs/kernel/core';

/** Buys `credits` when the balance falls to `threshold`. */
export interface AutoTopUp {
  readonly threshold: DecimalString;
  readonly credits: DecimalString;
}

/** Tells whether a balance requires a top-up. A balance at or below the threshold requires a top-up. */
export function isTopUpDue({ threshold }: AutoTopUp, balance: DecimalString): boolean {
  return new Decimal(balance).lte(threshold);
}
