import { Decimal, decimalString, type DecimalString } from '#libs/kernel/core';

/** The part of an allowance that rolls over when its period ends. */
export interface Rollover {
  /** Most that is kept. */
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
 * An allowance at the end of its period: its balance becomes min(maximum, max(minimum, balance)). Overage ends with the
 * period; with `keepOverage` it is taken from the new balance instead, and what that does not cover goes on.
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
