import { addSeconds, type Instant } from '#libs/kernel/core';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The seconds from one attempt to the next. The first retry comes soon, since recipients wait for links in mail, for example to sign in.
 * Mail servers that defer mail from unknown senders (greylisting) accept it after some minutes.
 */
export const MAIL_RETRY_DELAY_SECONDS: readonly number[] = [
  20,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** Returns the time of the next attempt after attempt number `attempt` (from 1) failed at `at`; undefined after the last attempt. */
export function nextMailAttempt(attempt: number, at: Instant): Instant | undefined {
  const delay = MAIL_RETRY_DELAY_SECONDS[attempt - 1];
  return delay === undefined ? undefined : addSeconds(at, delay);
}
