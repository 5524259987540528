import { counter } from '#libs/kernel/telemetry';

/** Attempts by outcome: `accepted`, `refused` (permanently), `failed` (tried again), or `unknown` (the mail server did not answer). */
export const mailAttempts = counter('mail_attempts_total', 'Attempts to send mail', ['outcome']);
/** Ended mail by outcome: `sent`, `failed`, `unknown`, or `withheld`. */
export const endedMail = counter('mail_messages_total', 'Mail that came to an end', ['outcome']);
