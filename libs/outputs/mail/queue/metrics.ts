import { createCounter } from '#libs/kernel/telemetry';

/** Attempts by outcome: `accepted`, `refused` (permanently), `failed` (tried again), or `unknown` (the mail server did not answer). */
export const mailAttempts = createCounter('mail_attempts_total', 'Attempts to send mail', ['outcome']);
/** Ended mail by outcome: `sent`, `failed`, `unknown`, or `withheld`. */
export const endedMail = createCounter('mail_messages_total', 'Mail that came to an end', ['outcome']);
