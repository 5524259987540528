import type { DecimalString } from '#libs/kernel/core';

/**
 * What is known of a customer's events after looking at each once, in the order of their time: enough to price them,
 * however many there were. Made by `tallyEvents`, batch by batch.
 */
export interface EventTally {
  /** Units of the included ones that are used. */
  readonly included: DecimalString;
  /** Events that were free, and how much of the free amount is used. */
  readonly freeEvents: number;
  readonly freeAmount: DecimalString;
  /** Events that were charged, the amount that they were charged on, and what they cost, unrounded. */
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
