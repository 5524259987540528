import type Stripe from 'stripe';
import type { ForeignRefund } from '../payment-gateway.js';
import { fromStripeAmount } from './stripe-amounts.js';

const PAGE = 100;

/**
 * The reason why a refund failed after Stripe had accepted it. The money of a failed refund is in the Stripe account again. Undefined if
 * the refund did not fail (docs.stripe.com/refunds, "Handle failed refunds").
 */
export function failureOfRefund({
  status,
  failure_reason: reason,
}: Pick<Stripe.Refund, 'status' | 'failure_reason'>): string | undefined {
  if (status === 'canceled') return `Stripe canceled the refund: ${reason ?? 'unknown'}`;
  return status === 'failed' ? `Stripe could not complete the refund: ${reason ?? 'unknown'}` : undefined;
}

const UNWANTED = 'unwanted_';

/** The idempotency key of the full refund of a charge that its invoice does not need. */
export function refundKeyOfUnwantedCharge(chargeKey: string): string {
  return `${UNWANTED}${chargeKey}`;
}

/** Tells whether the refund with this key belongs to a charge that its invoice does not need. */
export function isRefundKeyOfUnwantedCharge(refundKey: string): boolean {
  return refundKey.startsWith(UNWANTED);
}

/** The refunds of a PaymentIntent that were made at Stripe itself, oldest first. Refunds of ours name their key in the metadata. */
export async function listForeignRefunds(stripe: Stripe, intent: string): Promise<ForeignRefund[]> {
  const refunds: ForeignRefund[] = [];
  for await (const refund of stripe.refunds.list({ payment_intent: intent, limit: PAGE }))
    if (refund.metadata?.['refund'] === undefined) {
      const failure = failureOfRefund(refund);
      refunds.push({ ...shownRefund(refund), ...(failure === undefined ? {} : { failure }) });
    }
  return refunds.reverse();
}

/** The id and the amount of a refund. */
export function shownRefund({ id, amount, currency }: Stripe.Refund): ForeignRefund {
  return { refundId: id, amount: fromStripeAmount(amount, currency) };
}
