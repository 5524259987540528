import { dayIn, startOfDay, startOfMonth, type Instant } from '#libs/kernel/core';
import { periodContaining, type PeriodAnchor, type RecurringCadence } from '#libs/rating';
import type { LimitWindowKind } from '../limits/events.js';

/**
 * The stretch of time in which the usage of a limit is summed; `start` is included and `end` is excluded. A window without an end lasts for
 * ever.
 */
export interface LimitWindow {
  readonly start: Instant;
  readonly end: Instant | null;
}

/** A subscription with its billing periods, and the metrics that it charges for. */
export interface MeteredSubscription extends PeriodAnchor {
  readonly billingInterval: RecurringCadence;
  readonly metricIds: readonly string[];
}

/** The data of a customer that determines when the windows of its limits begin and end. */
export interface CustomerCalendar {
  readonly timezone: string;
  /** The subscriptions that have not ended, oldest first. */
  readonly subscriptions: readonly MeteredSubscription[];
}

/** The range of times that the API accepts: the earliest accepted time, and the first time that is too late. */
const [BEGINNING, END_OF_TIME] = ['1900-01-01T00:00:00.000Z', '3000-01-01T00:00:00.000Z'];

/**
 * Returns the window of a limit that contains an instant. Days and months follow the customer's time zone. If `per` is `period`, the window
 * is the billing period of the oldest subscription that charges for the metric. If no subscription charges for the metric, the window is
 * the calendar month.
 */
export function windowAt(
  { per, metricId }: { readonly per: LimitWindowKind; readonly metricId: string },
  { timezone, subscriptions }: CustomerCalendar,
  at: Instant,
): LimitWindow {
  switch (per) {
    case 'lifetime':
      return { start: BEGINNING, end: null };
    case 'day': {
      const day = dayIn(timezone, at);
      return { start: startOfDay(day, 0, timezone), end: startOfDay(day, 1, timezone) };
    }
    case 'month':
      return monthAt(timezone, at);
    case 'period': {
      const charging = subscriptions.find(({ metricIds }) => metricIds.includes(metricId));
      if (!charging) return monthAt(timezone, at);
      const { start, end } = periodContaining(charging, charging.billingInterval, at);
      return { start, end };
    }
  }
}

/** Tells whether an instant is in a window. */
export function windowContains({ start, end }: LimitWindow, at: Instant): boolean {
  return start <= at && (end === null || at < end);
}

/** Returns the end of a window. For a window without an end, returns a time later than all usage. */
export function endOfWindow({ end }: Pick<LimitWindow, 'end'>): Instant {
  return end ?? END_OF_TIME;
}

function monthAt(timezone: string, at: Instant): LimitWindow {
  const [year, month] = dayIn(timezone, at).split('-').map(Number);
  return { start: startOfMonth(year!, month! - 1, timezone), end: startOfMonth(year!, month!, timezone) };
}
