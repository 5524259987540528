import { dayIn, startOfDay, type Instant } from '#libs/kernel/core';

/** A day in a time zone, or the part of the day that lies in a period, as [start, end). */
export interface UsageDay {
  /** The date of the day, such as `2026-01-31`. */
  readonly date: string;
  readonly start: Instant;
  readonly end: Instant;
}

/**
 * Returns the days of a period, in order. The first and the last day are cut to their parts within the period. An empty period has no days.
 */
export function daysOfPeriod(
  { start, end }: { readonly start: Instant; readonly end: Instant },
  timezone: string,
): UsageDay[] {
  const days: UsageDay[] = [];
  for (let from = start; from < end;) {
    const date = dayIn(timezone, from);
    const next = startOfDay(date, 1, timezone);
    const until = next < end ? next : end;
    days.push({ date, start: from, end: until });
    from = until;
  }
  return days;
}

/** Returns the days that have begun before or at an instant. */
export function daysUntil(days: readonly UsageDay[], now: Instant): UsageDay[] {
  return days.filter(({ start }) => start <= now);
}
