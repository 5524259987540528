import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/**
 * Returns the end of a time range that includes the instant `now`. On a frozen clock, every event that is sent without a timestamp has
 * exactly the timestamp `now`.
 */
export function nextMillisecond(now: Instant): Instant {
  return instantFromMillis(instantToMillis(now) + 1);
}
