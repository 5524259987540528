import type { Instant } from '#libs/kernel/core';
import {
  AMOUNT_REFUSALS,
  isAmountRefusal,
  isFinalDecline,
  nextRetryAt,
  remainingRetryTimes,
  type PaymentRetrySchedule,
} from '#libs/rating';

/** What happens to an invoice that is still unpaid when its retries are over. */
export const UNPAID_INVOICE_ACTIONS = ['leave_open', 'mark_uncollectible'] as const;
export type UnpaidInvoiceAction = (typeof UNPAID_INVOICE_ACTIONS)[number];

/** What happens to the subscriptions of an invoice that is still unpaid when its retries are over. */
export const UNPAID_SUBSCRIPTION_ACTIONS = ['none', 'pause', 'cancel'] as const;
export type UnpaidSubscriptionAction = (typeof UNPAID_SUBSCRIPTION_ACTIONS)[number];

/**
 * Why no further retry is planned. `exhausted`: the last retry failed. `final_decline`: the same card will always be declined.
 * `action_required`: the customer must confirm the payment. `no_payment_method`: a retry was due, and the customer had no default payment
 * method or was deleted. `amount_too_small`, `amount_too_large` and `amount_not_chargeable`: the amount cannot be charged.
 */
export const RETRY_END_REASONS = [
  'exhausted',
  'final_decline',
  'action_required',
  'no_payment_method',
  ...AMOUNT_REFUSALS,
] as const;
export type RetryEndReason = (typeof RETRY_END_REASONS)[number];

/** The rules for retries: when they are made, and what happens after the last one. */
export interface RetryRules extends PaymentRetrySchedule {
  /** What happens to the invoice if it is still unpaid when its retries are over. */
  readonly whenExhausted: UnpaidInvoiceAction;
  /** What happens to the subscriptions of the invoice if it is still unpaid when its retries are over. */
  readonly subscription: UnpaidSubscriptionAction;
}

/**
 * The automatic next step after a charge that did not succeed. The plan says when the next retry is due, or that there are no more retries
 * and what happens then.
 */
export type RetryPlan =
  | { readonly nextAttemptAt: Instant }
  | {
      /** The reason why no further retry is planned. */
      readonly ended: RetryEndReason;
      /** The time until which the invoice waits for a new payment method: the time of the last possible retry. */
      readonly givesUpAt: Instant;
      /** What happens to the invoice if it is still unpaid at `givesUpAt`. */
      readonly whenExhausted: UnpaidInvoiceAction;
      /** What happens to the subscriptions of the invoice if it is still unpaid at `givesUpAt`. */
      readonly subscription: UnpaidSubscriptionAction;
    };

/** The retries of an invoice. */
export interface InvoiceRetries {
  /** The number of retries that were started. A payment that a user requests and a charge of a new card do not count as retries. */
  readonly made: number;
  /** Null if nothing follows automatically. */
  readonly plan: RetryPlan | null;
  /** The id of the payment attempt that led to the plan. Null without a plan. */
  readonly afterAttemptId: string | null;
  /** True if the retries have ended and the invoice was still unpaid. */
  readonly gaveUp: boolean;
}

/** The fields of an invoice on which its retries depend. */
interface CollectedInvoice {
  readonly status: string;
  readonly settings: { readonly autoCollect: boolean };
  /** The customer's time zone (IANA). */
  readonly timezone: string;
  readonly retries?: InvoiceRetries;
  readonly attempts: readonly { readonly status: string }[];
}

/** The retries of an invoice without a failed charge. */
export const NO_RETRIES: InvoiceRetries = { made: 0, plan: null, afterAttemptId: null, gaveUp: false };

/** The time of the planned retry; null if no retry is planned. */
export function plannedRetryAt(plan: RetryPlan | null | undefined): Instant | null {
  return plan && 'nextAttemptAt' in plan ? plan.nextAttemptAt : null;
}

/** The end of the retries; null if a retry is planned, or if there is no plan. */
export function endOfRetries(
  plan: RetryPlan | null | undefined,
): Exclude<RetryPlan, { nextAttemptAt: Instant }> | null {
  return plan && 'ended' in plan ? plan : null;
}

/**
 * The state of an invoice's payment retries. `scheduled`: a retry is planned. `waiting`: no retry is planned, and the invoice waits for a
 * new payment method. `exhausted`: the invoice was still unpaid when its retries were over. `recovered`: a charge paid the invoice after an
 * earlier charge had failed.
 */
export const RETRY_STATES = ['scheduled', 'waiting', 'exhausted', 'recovered'] as const;
export type RetryState = (typeof RETRY_STATES)[number];

/**
 * Returns the state of an invoice's payment retries. Null if the invoice never had a retry plan. Also null for a paid invoice that is not
 * `recovered`, and for an invoice that a user voided or wrote off.
 */
export function retryStateOf({
  status,
  retries,
  attempts,
}: Pick<CollectedInvoice, 'status' | 'retries' | 'attempts'>): RetryState | null {
  if (!retries) return null;
  if (status === 'paid') return isRecovered(attempts) ? 'recovered' : null;
  if (status === 'void') return null;
  if (retries.gaveUp) return 'exhausted';
  if (status !== 'open' || !retries.plan) return null;
  return 'nextAttemptAt' in retries.plan ? 'scheduled' : 'waiting';
}

/**
 * Tells whether a charge succeeded after one that had failed. An invoice that a credit note made paid is not recovered, because no charge
 * succeeded.
 */
function isRecovered(attempts: CollectedInvoice['attempts']): boolean {
  return attempts.at(-1)?.status === 'succeeded' && attempts.some(({ status }) => status === 'failed');
}

/**
 * Why a charge did not succeed: the decline code of the gateway, or what is missing. `wasRetry` is true if the charge was a planned retry.
 */
export type ChargeFailure =
  | { readonly code: string; readonly wasRetry: boolean }
  | { readonly without: 'action_required' | 'no_payment_method' };

/**
 * Decides the next retry, or the end of the retries, after a charge that did not succeed. Returns null if there are no retry rules, if the
 * invoice is not open or not collected automatically, or if its retries are over.
 *
 * A planned retry keeps its time if the failed charge was not a planned retry. A payment that a user requests therefore does not delay a
 * planned retry.
 *
 * A refused amount is no decline: the retries end at once, the invoice stays open, and its subscriptions stay as they are.
 */
export function planRetries(
  rules: RetryRules | null,
  { status, settings, timezone, retries = NO_RETRIES }: CollectedInvoice,
  at: Instant,
  failure: ChargeFailure,
): RetryPlan | null {
  if (!rules || status !== 'open' || !settings.autoCollect || retries.gaveUp) return null;
  if ('code' in failure && isAmountRefusal(failure.code))
    return { ended: failure.code, givesUpAt: at, whenExhausted: 'leave_open', subscription: 'none' };
  const { whenExhausted, subscription } = rules;
  const end = (ended: RetryEndReason, givesUpAt: Instant): RetryPlan => ({
    ended,
    givesUpAt,
    whenExhausted,
    subscription,
  });
  const left = remainingRetryTimes(rules, { failedAt: at, made: retries.made, timezone });
  const lastRetryAt = left.at(-1);
  // After the last retry, the customer has the time of the last interval to confirm the payment.
  const lastInterval = { failedAt: at, made: rules.intervalsDays.length - 1, timezone };
  if ('without' in failure)
    return end(failure.without, lastRetryAt ?? nextRetryAt(rules, lastInterval) ?? at);
  if (isFinalDecline(failure.code)) return end('final_decline', lastRetryAt ?? at);
  const planned = plannedRetryAt(retries.plan);
  if (planned !== null && !failure.wasRetry) return { nextAttemptAt: planned };
  return left[0] === undefined ? end('exhausted', at) : { nextAttemptAt: left[0] };
}
