import { addSeconds, type Instant } from '#libs/kernel/core';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The seconds from one attempt to the next. The first retry comes soon, since people wait for links. Servers that defer unknown senders
 * accept the mail after some minutes.
 */
export const MAIL_RETRY_DELAYS: readonly number[] = [
  20,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** The time of the next attempt, after the attempt with this number (from 1) failed at `at`; undefined after the last. */
export function nextMailAttempt(attempt: number, at: Instant): Instant | undefined {
  const delay = MAIL_RETRY_DELAYS[attempt - 1];
  return delay === undefined ? undefined : addSeconds(at, delay);
}
