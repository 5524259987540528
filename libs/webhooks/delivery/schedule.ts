import { createHash } from 'node:crypto';
import { addSeconds, instantFromMillis, laterOf, type Instant } from '#libs/core';

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

/** An endpoint is paused when so many attempts in a row have failed. */
export const PAUSE_AFTER_FAILURES = 5;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 5 * MINUTE;

/**
 * When to try again after the failed attempt `attempt` (from 1) at `at`; undefined after the last. `retryAfter` is
 * the receiver's header, if it sent one.
 *
 * The jitter is the delivery's own and the same for all of its delays: a receiver that comes back is not met by
 * everything at once, and the delays never grow shorter.
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
 * For how many seconds an endpoint is sent nothing after so many attempts in a row have failed: 5, and twice as many with each further
 * one, up to five minutes; 0 before the fifth.
 */
export function pauseSeconds(failures: number): number {
  if (failures < PAUSE_AFTER_FAILURES) return 0;
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - PAUSE_AFTER_FAILURES, 20));
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
  if (/^\d{1,9}$/.test(retryAfter)) return addSeconds(at, Number(retryAfter));
  const millis = /GMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(millis) ? undefined : instantFromMillis(millis);
}
