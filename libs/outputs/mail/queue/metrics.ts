import { counter } from '#libs/kernel/telemetry';

/** Attempts by outcome: `accepted`, `refused` (for good), or `failed` (tried again). */
export const mailAttempts = counter('mail_attempts_total', 'Attempts to send mail', ['outcome']);
/** Ended mail by outcome: `sent`, `failed`, or `withheld` (no mail server is set). */
export const endedMail = counter('mail_messages_total', 'Mail that came to an end', ['outcome']);
