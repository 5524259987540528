import { type Decimal, decimalString, type DecimalString } from '#libs/kernel/core';
import { ExactDecimal } from './exact.js';
import type { LimitRule } from './limit-rule.js';

/** The terms of a limit that determine how events are counted. */
export type LimitCountingTerms = Pick<LimitRule, 'limit' | 'warnAt' | 'action'> & {
  readonly metric: { readonly aggregation: { readonly type: string } };
};

/** The threshold of the limit itself, which is the fraction 1 of the limit. */
export const LIMIT_THRESHOLD = '1';

/** Returns the used quantity of a limit after an event with the given value. Negative values make a sum smaller. */
export function usedQuantityAfterEvent(
  { metric }: LimitCountingTerms,
  used: DecimalString,
  value: Decimal,
): DecimalString {
  const before = new ExactDecimal(used);
  return decimalString(
    metric.aggregation.type === 'max' ? ExactDecimal.max(before, value) : before.plus(value),
  );
}

/** Computes the used quantity of a limit from the quantities of the metric's groups. */
export function usedQuantityOfGroups(
  { metric }: Pick<LimitCountingTerms, 'metric'>,
  quantities: readonly DecimalString[],
): DecimalString {
  return decimalString(
    metric.aggregation.type === 'max'
      ? ExactDecimal.max(0, ...quantities)
      : quantities.reduce<Decimal>((sum, quantity) => sum.plus(quantity), new ExactDecimal(0)),
  );
}

/**
 * Tells whether a blocking limit refuses an event with the given value. An event that does not raise the used quantity is never refused.
 * Corrections are therefore accepted even if the limit is exceeded.
 */
export function refusesEvent(rule: LimitCountingTerms, used: DecimalString, value: Decimal): boolean {
  if (rule.action !== 'block') return false;
  const after = new ExactDecimal(usedQuantityAfterEvent(rule, used, value));
  return after.gt(used) && after.gt(rule.limit);
}

/**
 * Returns the thresholds that a used quantity reaches, in ascending order. Thresholds in `told` are left out, because a notice of them was
 * already stored.
 */
export function thresholdsReached(
  { limit, warnAt }: LimitCountingTerms,
  used: DecimalString,
  told: readonly DecimalString[],
): DecimalString[] {
  const now = new ExactDecimal(used);
  return [...warnAt, LIMIT_THRESHOLD].filter(
    (threshold) =>
      !told.includes(threshold) && now.gt(0) && now.gte(new ExactDecimal(limit).times(threshold)),
  );
}

/** Returns the remaining quantity of a limit. The remaining quantity is never negative. */
export function remainingQuantity(
  { limit }: Pick<LimitCountingTerms, 'limit'>,
  used: DecimalString,
): DecimalString {
  return decimalString(ExactDecimal.max(new ExactDecimal(limit).minus(used), 0));
}
