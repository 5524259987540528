import type { DecimalString } from '#libs/kernel/core';

/**
 * The totals of a customer's events, collected by reading each once in order of time. They suffice to price any number of events. Made by
 * `tallyEvents`, batch by batch.
 */
export interface EventTally {
  /** Units of the included ones that are used. */
  readonly included: DecimalString;
  /** Events that were free, and how much of the free amount is used. */
  readonly freeEvents: number;
  readonly freeAmount: DecimalString;
  /** The number of charged events, the amount that they were charged on, and their unrounded cost. */
  readonly chargedEvents: number;
  readonly chargedAmount: DecimalString;
  readonly charge: DecimalString;
}

/** No event looked at yet. */
export const NO_EVENTS: EventTally = {
  included: '0',
  freeEvents: 0,
  freeAmount: '0',
  chargedEvents: 0,
  chargedAmount: '0',
  charge: '0',
};
