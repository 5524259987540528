import { Injectable } from '@nestjs/common';
import type { CardPaymentMethod } from '#libs/contexts/customers';
import { GatewayConnections } from '../connection/gateway-connections.js';
import { StripeClients } from './stripe-clients.js';
import { isRefusedRequest, toPaymentGatewayError } from './stripe-failures.js';

/** Removes cards at Stripe that are no longer on file. */
@Injectable()
export class StripeCards {
  constructor(
    private readonly connections: GatewayConnections,
    private readonly clients: StripeClients,
  ) {}

  /**
   * Detaches a card from its customer at Stripe, so that nobody can charge it any more. A card that Stripe does not know, or that is
   * detached already, is left as it is: so a repetition changes nothing. Does nothing without a connection, since the account is not known
   * then. Throws Unavailable if Stripe gives no usable answer; the same call can then be repeated.
   */
  async detach(workspaceId: string, { gatewayMethodId }: CardPaymentMethod): Promise<void> {
    const connection = await this.connections.find(workspaceId);
    if (!connection) return;
    try {
      // Without an idempotency key. Stripe would repeat an error of its own for 24 hours, and a second detachment does no harm.
      await this.clients.of(connection.secretKey).paymentMethods.detach(gatewayMethodId);
    } catch (error) {
      if (!isRefusedRequest(error)) throw toPaymentGatewayError(error);
    }
  }
}
