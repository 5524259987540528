import type Stripe from 'stripe';

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
