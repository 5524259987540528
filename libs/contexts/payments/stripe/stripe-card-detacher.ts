import { Injectable } from '@nestjs/common';
import type { CardPaymentMethod } from '#libs/contexts/customers';
import { GatewayConnections } from '../connection/gateway-connections.js';
import { StripeClients } from './stripe-clients.js';
import { isRefusedRequest, toPaymentGatewayError } from './stripe-failures.js';

/** Detaches cards at Stripe that were removed from their customers. */
@Injectable()
export class StripeCardDetacher {
  constructor(
    private readonly connections: GatewayConnections,
    private readonly clients: StripeClients,
  ) {}

  /**
   * Detaches a card from its customer at Stripe, so that nobody can charge it any more. A card that is unknown to Stripe or already
   * detached does not change, so the call can be repeated safely. Does nothing if the workspace has no connection to Stripe, because the
   * Stripe account is then not known. Throws Unavailable if Stripe gives no usable answer or refuses the secret key; the caller can then
   * repeat the call.
   */
  async detach(workspaceId: string, { gatewayMethodId }: CardPaymentMethod): Promise<void> {
    const connection = await this.connections.find(workspaceId);
    if (!connection) return;
    try {
      // The request has no idempotency key. With a key, Stripe would repeat an error of its own for 24 hours. A second detachment does no
      // harm.
      await this.clients.clientOfKey(connection.secretKey).paymentMethods.detach(gatewayMethodId);
    } catch (error) {
      if (!isRefusedRequest(error))
        throw toPaymentGatewayError(error, 'the removal of the card is tried again');
    }
  }
}
