/** How often a price is charged. `usage_based` follows the subscription's billing interval. */
export const CADENCES = ['monthly', 'quarterly', 'annual', 'one_time', 'usage_based'] as const;
export type Cadence = (typeof CADENCES)[number];

/** A cadence with a calendar of its own. */
export type RecurringCadence = Exclude<Cadence, 'one_time' | 'usage_based'>;

/** `in_arrears`: charged when its period ends. `in_advance`: charged when its period starts. */
export const TIMINGS = ['in_arrears', 'in_advance'] as const;
export type Timing = (typeof TIMINGS)[number];

/** Calendar months in one period of each recurring cadence. Each divides the longer ones. */
export const MONTHS: Readonly<Record<RecurringCadence, number>> = { monthly: 1, quarterly: 3, annual: 12 };

export function isRecurring(cadence: Cadence): cadence is RecurringCadence {
  return cadence in MONTHS;
}
