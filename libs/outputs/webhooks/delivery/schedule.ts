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

/** Seconds from one attempt to the next; the first is made at once. A little over a day in all. */
export const RETRY_DELAYS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** The most that a retry is put off beyond its time, as a share of the delay. */
const JITTER = 0.1;
/** A receiver may ask for more time, but not for more than the longest delay. */
const MAX_RETRY_AFTER = Math.max(...RETRY_DELAYS);

/** Fewer failures than this show little of an endpoint, */
const MIN_FAILURES = 5;
/** and so do failures in a shorter time than this: many can be under way at once. */
const SHORTEST_FAILING = 30;
const MAX_PAUSE = 5 * MINUTE;

/** What became of the latest attempts at an endpoint. */
export interface EndpointHealth {
  /** How many have failed since something last reached it. */
  failures: number;
  /** When the first of them was; `null` if there was none. */
  failingSince: Instant | null;
}

/**
 * When to try again after the failed attempt `attempt` (from 1) at `at`; undefined after the last. `retryAfter` is the receiver's header,
 * if it sent one.
 *
 * Each delivery has its own jitter, the same for all of its delays. So a receiver that recovers does not get everything at once, and the
 * delays never grow shorter.
 */
export function nextAttempt(
  deliveryId: string,
  attempt: number,
  at: Instant,
  retryAfter?: string,
): Instant | undefined {
  const delay = RETRY_DELAYS[attempt - 1];
  if (delay === undefined) return undefined;
  const planned = addSeconds(at, delay * (1 + JITTER * shareOf(deliveryId)));
  const asked = retryAfter === undefined ? undefined : instantOf(retryAfter, at);
  if (asked === undefined) return planned;
  const latest = addSeconds(at, MAX_RETRY_AFTER);
  return laterOf(planned, asked < latest ? asked : latest);
}

/**
 * The seconds for which an endpoint is paused after an attempt failed at `at`: half as long as it has failed, up to five minutes. 0 if that
 * is less than 30 s, or fewer than five attempts have failed. An endpoint that some attempts reach is never paused.
 */
export function pauseSeconds({ failures, failingSince }: EndpointHealth, at: Instant): number {
  if (failingSince === null || failures < MIN_FAILURES) return 0;
  const seconds = (instantToMillis(at) - instantToMillis(failingSince)) / 1_000;
  return seconds < SHORTEST_FAILING ? 0 : Math.min(MAX_PAUSE, seconds / 2);
}

/** Whether even the last attempt at a delivery that was made at `createdAt` would have been due by now, without pauses. */
export function isPastRetries(createdAt: Instant, now: Instant): boolean {
  const longest = RETRY_DELAYS.reduce((sum, delay) => sum + delay) * (1 + JITTER);
  return addSeconds(createdAt, longest) < now;
}

/** A number from 0 to 1 that is the delivery's own. */
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
