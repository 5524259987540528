import type { DecimalString } from '#libs/kernel/core';

/**
 * The totals of a customer's events, which are read once in order of time. These totals are sufficient to price any number of events.
 * `tallyEvents` computes them batch by batch.
 */
export interface EventTally {
  /** The used part of the included units. */
  readonly included: DecimalString;
  /** The number of free events that are used. */
  readonly freeEvents: number;
  /** The used part of the free amount. */
  readonly freeAmount: DecimalString;
  /** The number of charged events. */
  readonly chargedEvents: number;
  /** The total amount of the charged events. */
  readonly chargedAmount: DecimalString;
  /** The unrounded cost of the charged events. */
  readonly charge: DecimalString;
}

/** The tally before the first event. */
export const NO_EVENTS: EventTally = {
  included: '0',
  freeEvents: 0,
  freeAmount: '0',
  chargedEvents: 0,
  chargedAmount: '0',
  charge: '0',
};
