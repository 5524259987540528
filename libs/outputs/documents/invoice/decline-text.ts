import type { Wording } from '../languages/index.js';

type DeclineText = keyof Wording['payment']['declines'];

/**
 * Decline codes of banks that are printed with the text of another code (docs.stripe.com/declines/codes). If a card was reported as stolen
 * or lost, the text says only that the card was declined, because the reader may not be the cardholder.
 */
const SAME_TEXT: Readonly<Record<string, DeclineText>> = {
  ...Object.fromEntries(
    [
      'approve_with_id',
      'call_issuer',
      'card_not_supported',
      'card_velocity_exceeded',
      'currency_not_supported',
      'do_not_honor',
      'do_not_try_again',
      'fraudulent',
      'generic_decline',
      'invalid_account',
      'invalid_amount',
      'issuer_not_available',
      'lost_card',
      'merchant_blacklist',
      'new_account_information_available',
      'no_action_taken',
      'not_permitted',
      'pickup_card',
      'processing_error',
      'reenter_transaction',
      'restricted_card',
      'revocation_of_all_authorizations',
      'revocation_of_authorization',
      'security_violation',
      'service_not_allowed',
      'stolen_card',
      'stop_payment_order',
      'transaction_not_allowed',
      'try_again_later',
    ].map((code) => [code, 'card_declined'] as const),
  ),
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  payment_intent_authentication_failure: 'not_confirmed',
};

/**
 * Returns a text that says why a card was declined, in the language of the wording. Returns null for every decline code without a text, for
 * example `incorrect_number`. A code that is not about the card has no text, since such a code tells the customer nothing. For example,
 * `resource_missing` says that the payment processor does not know the payment.
 */
export function declineText(code: string | null, { payment: { declines } }: Wording): string | null {
  if (code === null) return null;
  const known = Object.hasOwn(SAME_TEXT, code) ? SAME_TEXT[code]! : code;
  return Object.hasOwn(declines, known) ? declines[known as DeclineText] : null;
}
