import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '#libs/kernel/core';
import { StripeClients } from './stripe-clients.js';
import { isRefusedKey, toPaymentGatewayError } from './stripe-failures.js';

/** Checks secret keys with a request to Stripe. */
@Injectable()
export class StripeKeyChecker {
  constructor(private readonly clients: StripeClients) {}

  /**
   * Returns the id of the Stripe account that a secret key belongs to. Throws InvalidRequest for the field `secretKey` if Stripe refuses
   * the key.
   */
  async readAccountId(secretKey: string): Promise<string> {
    try {
      return (await this.clients.clientOfKey(secretKey).accounts.retrieveCurrent()).id;
    } catch (error) {
      if (isRefusedKey(error))
        throw InvalidRequest.field(
          'secretKey',
          'is refused by Stripe; copy the secret key of your account from https://dashboard.stripe.com/apikeys',
        );
      throw toPaymentGatewayError(error, 'the key was not stored, repeat the request');
    }
  }
}

/**
 * Returns the mode that the beginning of a key names: `sk_test_` or `sk_live_`, and for a restricted key `rk_test_` or `rk_live_`
 * (docs.stripe.com/keys). Any other beginning counts as `test`.
 */
export function modeOfKey(secretKey: string): 'test' | 'live' {
  return secretKey.split('_')[1] === 'live' ? 'live' : 'test';
}
