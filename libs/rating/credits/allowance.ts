import { Decimal, decimalString, type DecimalString } from '#libs/kernel/core';

/**
 * The limits on the balance of an allowance that rolls over into the next period. A wallet adds the credits of the next period to the
 * balance that rolls over.
 */
export interface RolloverLimits {
  /** The maximum balance after the period's reset. */
  readonly maximum: DecimalString;
  /** The minimum balance after the period's reset. */
  readonly minimum: DecimalString;
}

/** The remaining part of an allowance, and the usage that exceeded the allowance. */
export interface AllowanceBalance {
  /** The part of the allowance that is not used yet. */
  readonly balance: DecimalString;
  /** The usage beyond the allowance. */
  readonly overage: DecimalString;
}

/**
 * Resets an allowance at the end of its period. The new balance of the allowance is min(maximum, max(minimum, balance)). Overage is usage
 * beyond the allowance. Without `keepOverage`, the overage becomes zero. With `keepOverage`, overage is deducted from the new balance, and
 * overage beyond the balance stays as overage.
 */
export function resetAllowance(
  { maximum, minimum }: RolloverLimits,
  { balance, overage }: AllowanceBalance,
  keepOverage = false,
): AllowanceBalance {
  const rolledOver = Decimal.min(maximum, Decimal.max(minimum, balance));
  const owed = new Decimal(keepOverage ? overage : 0);
  return {
    balance: decimalString(Decimal.max(rolledOver.minus(owed), 0)),
    overage: decimalString(Decimal.max(owed.minus(rolledOver), 0)),
  };
}
