import { createCounter } from '#libs/kernel/telemetry';

/**
 * Attempts by outcome: `accepted`, `refused` (permanently), `failed` (tried again, unless it was the last attempt), or `unknown` (the mail
 * server did not answer, or the process stopped before the answer).
 */
export const mailAttempts = createCounter('mail_attempts_total', 'Attempts to send mail', ['outcome']);
/**
 * Ended mail by outcome: `sent`, `failed`, `unknown`, or `withheld`. Mail that a sandbox withholds when the mail is written is not counted.
 * Mail that an operator sends again is counted each time it ends.
 */
export const endedMail = createCounter('mail_messages_total', 'Mail that came to an end', ['outcome']);
