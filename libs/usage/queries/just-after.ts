import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/**
 * The end of a range that goes up to `now` and includes it: an event that was just stored without a time has the
 * present moment, on a frozen clock for as long as it stands.
 */
export function justAfter(now: Instant): Instant {
  return instantFromMillis(instantToMillis(now) + 1);
}
