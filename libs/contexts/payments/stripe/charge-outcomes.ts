import type Stripe from 'stripe';
import { Unavailable } from '#libs/kernel/core';
import type { ChargeOutcome } from '../payment-gateway.js';

const NEEDS_CONFIRMATION = 'The bank asks the customer to confirm the payment.';

/** The fields of a PaymentIntent that show its result. */
export type IntentResult = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'last_payment_error'>;

/**
 * The result of a charge, from the status of its PaymentIntent (docs.stripe.com/payments/paymentintents/lifecycle). Throws Unavailable
 * (`payment_processing`) while Stripe does not know the result yet.
 *
 * A card is charged while its customer is absent. If the customer must confirm the charge, its PaymentIntent has the status
 * `requires_payment_method` and the error `authentication_required`.
 */
export function outcomeOfIntent({ id, status, last_payment_error: error }: IntentResult): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded' };
    case 'requires_action':
      return { status: 'requires_action', message: NEEDS_CONFIRMATION };
    case 'requires_payment_method':
      return outcomeOfDecline(error ?? {});
    case 'canceled':
      return { status: 'failed', code: 'canceled', message: 'The payment was canceled.' };
    case 'processing':
    case 'requires_capture':
    case 'requires_confirmation':
    default:
      throw new Unavailable('payment_processing', `Stripe is still processing the payment ${id} (${status})`);
  }
}

/**
 * The result of a charge that was declined. The bank's decline code is used if there is one, because it is more exact than Stripe's own
 * code.
 */
export function outcomeOfDecline({
  code,
  decline_code: declineCode,
  message,
}: {
  code?: string | undefined;
  decline_code?: string | undefined;
  message?: string | undefined;
}): ChargeOutcome {
  if (code === 'authentication_required' || declineCode === 'authentication_required')
    return { status: 'requires_action', message: NEEDS_CONFIRMATION };
  return {
    status: 'failed',
    code: declineCode ?? code ?? 'card_declined',
    message: message ?? 'The card was declined.',
  };
}
