/** The frequency of a price's charges. A `usage_based` price follows the subscription's billing interval. */
export const CADENCES = ['monthly', 'quarterly', 'annual', 'one_time', 'usage_based'] as const;
export type Cadence = (typeof CADENCES)[number];

/** A cadence with periods of its own: monthly, quarterly or annual. */
export type RecurringCadence = Exclude<Cadence, 'one_time' | 'usage_based'>;

/** When a fee is charged: at the end of its period (`in_arrears`) or at the start (`in_advance`). */
export const CHARGE_TIMINGS = ['in_arrears', 'in_advance'] as const;
export type ChargeTiming = (typeof CHARGE_TIMINGS)[number];

/**
 * The number of calendar months in one period of each recurring cadence. Each number divides the larger ones, so a longer period always
 * ends together with a shorter one.
 */
export const MONTHS_PER_PERIOD: Readonly<Record<RecurringCadence, number>> = {
  monthly: 1,
  quarterly: 3,
  annual: 12,
};

/** Tells whether a cadence has periods of its own: monthly, quarterly or annual. */
export function isRecurring(cadence: Cadence): cadence is RecurringCadence {
  return cadence in MONTHS_PER_PERIOD;
}
