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

/** The seconds from one attempt to the next. The first attempt is made at once, and all together take a little over a day. */
export const DELIVERY_RETRY_DELAYS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** The largest delay that jitter adds, as a share of the delay. */
const JITTER = 0.1;
/** A receiver may ask for a longer delay, but not for more than the longest delay. */
const MAX_RETRY_AFTER = Math.max(...DELIVERY_RETRY_DELAYS);

/** The fewest failures that cause a pause. Fewer failures say little about an endpoint. */
const MIN_FAILURES = 5;
/**
 * The shortest time of failure, in seconds, that causes a pause. Many attempts may fail at the same time, so a shorter time says little.
 */
const SHORTEST_FAILING = 30;
const MAX_PAUSE = 5 * MINUTE;

/** The result of the latest attempts at an endpoint. */
export interface EndpointHealth {
  /** The number of failed attempts since the last success. */
  failures: number;
  /** The time of the first of these failures; `null` if there is none. */
  failingSince: Instant | null;
}

/**
 * The time of the next attempt after `attempt` (from 1) failed at `at`; undefined after the last. `retryAfter` is the receiver's header, if
 * it sent one.
 *
 * Each delivery has its own jitter, the same for all of its delays. So a receiver that recovers does not get everything at once, and the
 * delays never grow shorter.
 */
export function nextDeliveryAttempt(
  deliveryId: string,
  attempt: number,
  at: Instant,
  retryAfter?: string,
): Instant | undefined {
  const delay = DELIVERY_RETRY_DELAYS[attempt - 1];
  if (delay === undefined) return undefined;
  const planned = addSeconds(at, delay * (1 + JITTER * shareOf(deliveryId)));
  const asked = retryAfter === undefined ? undefined : instantOf(retryAfter, at);
  if (asked === undefined) return planned;
  const latest = addSeconds(at, MAX_RETRY_AFTER);
  return laterOf(planned, asked < latest ? asked : latest);
}

/**
 * The seconds for which an endpoint is paused after an attempt failed at `at`. A pause is half as long as the time of failure, up to five
 * minutes. The result is 0 if the pause would be shorter than 30 s, or if fewer than five attempts have failed. If some attempts succeed,
 * the endpoint is never paused.
 */
export function pauseSeconds({ failures, failingSince }: EndpointHealth, at: Instant): number {
  if (failingSince === null || failures < MIN_FAILURES) return 0;
  const seconds = (instantToMillis(at) - instantToMillis(failingSince)) / 1_000;
  return seconds < SHORTEST_FAILING ? 0 : Math.min(MAX_PAUSE, seconds / 2);
}

/** Tells whether all attempts at a delivery that began at `createdAt` would be over by now, without pauses. */
export function isPastRetries(createdAt: Instant, now: Instant): boolean {
  const longest = DELIVERY_RETRY_DELAYS.reduce((sum, delay) => sum + delay) * (1 + JITTER);
  return addSeconds(createdAt, longest) < now;
}

/** A number from 0 to 1 that depends only on the delivery. */
function shareOf(deliveryId: string): number {
  return createHash('sha256').update(deliveryId).digest().readUInt32BE() / 2 ** 32;
}

/** `Retry-After` (RFC 9110 section 10.2.3): seconds, or an HTTP date; undefined if it is neither. */
function instantOf(retryAfter: string, at: Instant): Instant | undefined {
  const seconds = parseWholeNumber(retryAfter, { max: 999_999_999 });
  if (seconds !== undefined) return addSeconds(at, seconds);
  const millis = /GMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(millis) ? undefined : instantFromMillis(millis);
}
