import { Decimal, type DecimalString } from '#libs/kernel/core';
import type { LimitUse } from './limit-use-reader.js';
import { refusesEvent, remainingQuantity } from './limit-use.js';

/**
 * The result of a check: whether a quantity is allowed, and the limit that decides it. `nearest` is the limit that decides the check; null
 * if no limit applies.
 */
export interface LimitCheckResult {
  readonly allowed: boolean;
  readonly nearest: LimitUse | null;
}

/**
 * Checks a quantity against all limits that apply to it. The nearest limit is a limit that refuses the quantity. If no limit refuses the
 * quantity, the nearest limit is the blocking limit with the smallest remaining quantity. Without blocking limits, the nearest limit is the
 * notifying limit with the smallest remaining quantity.
 */
export function checkLimits(uses: readonly LimitUse[], quantity: DecimalString): LimitCheckResult {
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
