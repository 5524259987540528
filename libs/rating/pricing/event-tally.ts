import type { DecimalString } from '#libs/kernel/core';

/**
 * The totals of a customer's events, computed in a single pass over the events in order of time. The totals are sufficient to price any
 * number of events. The function `tallyEvents` computes the totals batch by batch.
 */
export interface EventTally {
  /** The part of the included units that the events have used. */
  readonly included: DecimalString;
  /** The number of free events that were used. */
  readonly freeEvents: number;
  /** The part of the free amount that the events have used. */
  readonly freeAmount: DecimalString;
  /** The number of charged events. */
  readonly chargedEvents: number;
  /** The total amount of the charged events. */
  readonly chargedAmount: DecimalString;
  /** The unrounded cost of the charged events. */
  readonly charge: DecimalString;
}

/** The totals before the first event. */
export const NO_EVENTS: EventTally = {
  included: '0',
  freeEvents: 0,
  freeAmount: '0',
  chargedEvents: 0,
  chargedAmount: '0',
  charge: '0',
};
