import { createHash } from 'node:crypto';
import {
  addSeconds,
  instantFromMillis,
  instantToMillis,
  laterOf,
  parseWholeNumber,
  type Instant,
} from '#libs/kernel/core';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The seconds from one attempt to the next. The first attempt is made at once, and the last one a little over a day later. */
export const DELIVERY_RETRY_DELAY_SECONDS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** The maximum that jitter adds to a delay, as a fraction of the delay. */
const JITTER = 0.1;
/** A receiver may request a longer delay with `Retry-After`, up to the longest delay of the schedule. */
const MAX_RETRY_AFTER = Math.max(...DELIVERY_RETRY_DELAY_SECONDS);

/** The minimum number of failed attempts before an endpoint is paused. Fewer failed attempts do not prove that an endpoint is down. */
const MIN_FAILURES = 5;
/**
 * The minimum time in seconds for which an endpoint must fail before it is paused. A shorter time does not prove that an endpoint is down,
 * because a short outage can make many attempts fail at once.
 */
const SHORTEST_FAILING = 30;
const MAX_PAUSE = 5 * MINUTE;

/** The failed attempts at an endpoint since the last success. */
export interface EndpointHealth {
  /** The number of failed attempts since the last success. */
  failures: number;
  /** The time of the first failed attempt since the last success; `null` if there is none. */
  failingSince: Instant | null;
}

/**
 * The time of the next attempt, after attempt number `attempt` (from 1) failed at `at`; undefined after the last attempt. `retryAfter` is
 * the value of the receiver's `Retry-After` header, if the response had one.
 *
 * Jitter lengthens all delays of a delivery by the same share, and differs between deliveries. A receiver that works again therefore does
 * not get all waiting deliveries at once. Without `Retry-After`, each delay of a delivery is at least as long as the delay before.
 */
export function nextDeliveryAttempt(
  deliveryId: string,
  attempt: number,
  at: Instant,
  retryAfter?: string,
): Instant | undefined {
  const delay = DELIVERY_RETRY_DELAY_SECONDS[attempt - 1];
  if (delay === undefined) return undefined;
  const planned = addSeconds(at, delay * (1 + JITTER * shareOf(deliveryId)));
  const asked = retryAfter === undefined ? undefined : instantOf(retryAfter, at);
  if (asked === undefined) return planned;
  const latest = addSeconds(at, MAX_RETRY_AFTER);
  return laterOf(planned, asked < latest ? asked : latest);
}

/**
 * The seconds for which an endpoint is paused after an attempt failed at `at`. A pause is half as long as the time for which the endpoint
 * has failed, up to five minutes. The result is 0 if the endpoint has failed for less than 30 s, or if fewer than five attempts have
 * failed. An endpoint at which some attempts succeed is never paused.
 */
export function pauseSeconds({ failures, failingSince }: EndpointHealth, at: Instant): number {
  if (failingSince === null || failures < MIN_FAILURES) return 0;
  const seconds = (instantToMillis(at) - instantToMillis(failingSince)) / 1_000;
  return seconds < SHORTEST_FAILING ? 0 : Math.min(MAX_PAUSE, seconds / 2);
}

/** Tells whether a retry schedule that starts at `start` ends before `now`, if pauses and `Retry-After` are not counted. */
export function hasRetryScheduleEnded(start: Instant, now: Instant): boolean {
  const longest = DELIVERY_RETRY_DELAY_SECONDS.reduce((sum, delay) => sum + delay) * (1 + JITTER);
  return addSeconds(start, longest) < now;
}

/** A number from 0 to 1 that depends only on the id of the delivery. */
function shareOf(deliveryId: string): number {
  return createHash('sha256').update(deliveryId).digest().readUInt32BE() / 2 ** 32;
}

/** Parses a `Retry-After` header (RFC 9110 section 10.2.3): seconds, or an HTTP date; undefined if it is neither. */
function instantOf(retryAfter: string, at: Instant): Instant | undefined {
  const seconds = parseWholeNumber(retryAfter, { max: 999_999_999 });
  if (seconds !== undefined) return addSeconds(at, seconds);
  const millis = /GMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(millis) ? undefined : instantFromMillis(millis);
}
