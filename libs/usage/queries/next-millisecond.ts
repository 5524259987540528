import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/**
 * Returns the end of a time range that includes the instant `now`. An event without a timestamp gets the present instant, and a frozen
 * clock stays at that instant.
 */
export function nextMillisecond(now: Instant): Instant {
  return instantFromMillis(instantToMillis(now) + 1);
}
