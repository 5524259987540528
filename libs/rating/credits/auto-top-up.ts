import { Decimal, type DecimalString } from '#libs/kernel/core';

/** A rule for a wallet: the amount `credits` is bought when the balance falls to `threshold` or below. */
export interface AutoTopUp {
  /** The balance at or below which credits are bought. */
  readonly threshold: DecimalString;
  /** The number of credits that is bought. */
  readonly credits: DecimalString;
}

/** Tells whether a balance requires a top-up. A balance at or below the threshold requires a top-up. */
export function isTopUpDue({ threshold }: AutoTopUp, balance: DecimalString): boolean {
  return new Decimal(balance).lte(threshold);
}
