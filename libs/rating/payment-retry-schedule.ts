import { addSeconds, type Instant } from '#libs/kernel/core';
import { instantOfLocalTime, localTime } from './local-time.js';

const DAY_SECONDS = 86_400;

/** The times at which a declined charge is tried again. */
export interface PaymentRetrySchedule {
  /** The days between one attempt and the next. The first element counts from the first failure. */
  readonly intervalsDays: readonly number[];
  /**
   * The hour of the day, 0 to 23, at which retries are made. If the hour is null, a retry is made at the time of day of the previous
   * attempt.
   */
  readonly localHour: number | null;
}

/**
 * The time of the next retry, after an attempt failed at `failedAt`. `made` is the number of retries that were already made. Null if no
 * retry is left. Without a local hour, a day has 24 hours. With a local hour, days are calendar days in `timezone` (IANA).
 */
export function nextRetryAt(
  { intervalsDays, localHour }: PaymentRetrySchedule,
  { failedAt, made, timezone }: { failedAt: Instant; made: number; timezone: string },
): Instant | null {
  const days = intervalsDays[made];
  if (days === undefined) return null;
  if (localHour === null) return addSeconds(failedAt, days * DAY_SECONDS);
  const day = localTime(failedAt, timezone).toPlainDate().add({ days });
  return instantOfLocalTime(day.toZonedDateTime({ timeZone: timezone, plainTime: { hour: localHour } }));
}

/** The times of all remaining retries after an attempt failed at `failedAt`, if each retry also fails, immediately when it is made. */
export function remainingRetryTimes(
  schedule: PaymentRetrySchedule,
  { failedAt, made, timezone }: { failedAt: Instant; made: number; timezone: string },
): Instant[] {
  const times: Instant[] = [];
  for (;;) {
    const next = nextRetryAt(schedule, {
      failedAt: times.at(-1) ?? failedAt,
      made: made + times.length,
      timezone,
    });
    if (next === null) return times;
    times.push(next);
  }
}

/**
 * The decline codes after which the same card can never be charged. Stripe lists these codes as hard declines
 * (docs.stripe.com/billing/revenue-recovery/smart-retries, "Non-retryable decline codes"). The code `authentication_required` is omitted,
 * because such a payment only waits for the customer.
 */
const FINAL_DECLINES: ReadonlySet<string> = new Set([
  'highest_risk_level',
  'incorrect_number',
  'lost_card',
  'pickup_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'transaction_not_allowed',
]);

/**
 * The codes with which a charge is refused because of its amount. No bank has declined such a charge, and no card can pay it.
 * `amount_too_small` and `amount_too_large` are Stripe's codes (docs.stripe.com/error-codes).
 */
export const AMOUNT_REFUSALS = ['amount_too_small', 'amount_too_large', 'amount_not_chargeable'] as const;
export type AmountRefusal = (typeof AMOUNT_REFUSALS)[number];

/** Tells whether a charge was refused because of its amount. */
export function isAmountRefusal(code: string | null): code is AmountRefusal {
  return (AMOUNT_REFUSALS as readonly (string | null)[]).includes(code);
}

/** Tells whether the same card will be declined whenever it is charged again. */
export function isFinalDecline(code: string): boolean {
  return FINAL_DECLINES.has(code);
}
