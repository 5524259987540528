import { Decimal, type DecimalString } from '#libs/kernel/core';
import type { LimitUse } from './current-use.js';
import { refusesEvent, remainingQuantity } from './limit-use.js';

/** Whether a quantity is allowed, and the limit that decides it. Null if no limit applies. */
export interface CheckedLimit {
  readonly allowed: boolean;
  readonly nearest: LimitUse | null;
}

/**
 * Checks a quantity against all limits that apply. The nearest limit is one that refuses the quantity. Without one, it is the blocking
 * limit of which the least is left, and else the notifying one.
 */
export function checkLimits(uses: readonly LimitUse[], quantity: DecimalString): CheckedLimit {
  const value = new Decimal(quantity);
  const ranked = uses
    .map((use) => ({
      use,
      isRefused: refusesEvent(use.rule, use.used, value),
      left: new Decimal(remainingQuantity(use.rule, use.used)),
    }))
    .toSorted(
      (a, b) =>
        Number(b.isRefused) - Number(a.isRefused) ||
        Number(b.use.rule.action === 'block') - Number(a.use.rule.action === 'block') ||
        a.left.cmp(b.left),
    );
  const [nearest] = ranked;
  return { allowed: !nearest?.isRefused, nearest: nearest?.use ?? null };
}
