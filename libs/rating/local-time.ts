import { Temporal } from 'temporal-polyfill';
import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/**
 * An instant as calendar time in an IANA time zone. The instant is parsed by `Date`, because Temporal's own parser needs five times as long
 * and a bill reads many instants. Throws RangeError if the time zone is unknown.
 */
export function localTime(instant: Instant, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantToMillis(instant)).toZonedDateTimeISO(timezone);
}

/** The instant of a calendar time in its time zone. */
export function instantOfLocalTime(local: Temporal.ZonedDateTime): Instant {
  return instantFromMillis(local.epochMilliseconds);
}
