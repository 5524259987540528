import { Decimal, decimalString, type DecimalString } from '#libs/kernel/core';

/** When an allowance's period ends, a part rolls over. These limits apply to that part. */
export interface Rollover {
  /** The maximum balance after the reset. */
  readonly maximum: DecimalString;
  /** The minimum balance after the reset. */
  readonly minimum: DecimalString;
}

/** The remaining allowance, and the usage beyond it. */
export interface AllowanceBalance {
  readonly balance: DecimalString;
  readonly overage: DecimalString;
}

/**
 * Resets an allowance at the end of its period. Its balance becomes min(maximum, max(minimum, balance)). Overage normally ends with the
 * period. With `keepOverage`, it is deducted from the new balance, and the uncovered part continues.
 */
export function resetAllowance(
  { maximum, minimum }: Rollover,
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
