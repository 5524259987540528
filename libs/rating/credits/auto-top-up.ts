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

/** Returns the number of top-ups after which a balance is above the threshold. The number is 0 if no top-up is due. */
export function topUpsAboveThreshold({ threshold, credits }: AutoTopUp, balance: DecimalString): number {
  const gap = new Decimal(threshold).minus(balance);
  return gap.lt(0) ? 0 : gap.dividedToIntegerBy(credits).plus(1).toNumber();
}

/** Returns the number of top-ups after which a balance covers the `required` credits. The number is 0 if the balance covers them. */
export function topUpsToCover(
  { credits }: AutoTopUp,
  balance: DecimalString,
  required: DecimalString,
): number {
  const gap = new Decimal(required).minus(balance);
  return gap.lte(0) ? 0 : gap.dividedBy(credits).ceil().toNumber();
}
