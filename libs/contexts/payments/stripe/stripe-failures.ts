import Stripe from 'stripe';
import { AppError, Unavailable } from '#libs/kernel/core';

/**
 * Converts an error of Stripe's client to Unavailable, because the caller can repeat the request later. The code is
 * `payment_gateway_refused` if Stripe refuses the secret key, and otherwise `payment_gateway_unavailable`. Other errors are returned as
 * they are.
 *
 * @param consequence what follows from an answer that Stripe did not give, as the end of the message: "repeat the request"
 */
export function toPaymentGatewayError(error: unknown, consequence: string): unknown {
  if (error instanceof AppError || !(error instanceof Stripe.errors.StripeError)) return error;
  if (isRefusedKey(error))
    return new Unavailable(
      'payment_gateway_refused',
      'Stripe refuses the secret key of this workspace; set a valid one with PUT /v1/payment-gateway',
    );
  return new Unavailable(
    'payment_gateway_unavailable',
    `Stripe gave no usable answer (${error.type}); ${consequence}`,
  );
}

/** Tells whether Stripe refused the secret key, because the key is wrong, revoked, or lacks a permission. */
export function isRefusedKey(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError
  );
}

/**
 * Tells whether Stripe refused the request because of its content, so that the request had no effect. A conflict of idempotency keys does
 * not count, because an earlier request with the key may have had an effect.
 */
export function isRefusedRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== 409;
}

/** Returns undefined if Stripe does not know the requested object. */
export async function ignoreMissingResource<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMissingResource(error)) return undefined;
    throw error;
  }
}

/** Tells whether Stripe does not know the requested object, because it was deleted or belongs to another account or mode. */
export function isMissingResource(error: unknown): boolean {
  return isRefusedRequest(error) && error.code === 'resource_missing';
}
