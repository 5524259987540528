import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/**
 * The end of a range that includes the instant `now`. An event that is stored without a time has the present instant, and a frozen clock
 * keeps that instant.
 */
export function nextMillisecond(now: Instant): Instant {
  return instantFromMillis(instantToMillis(now) + 1);
}
