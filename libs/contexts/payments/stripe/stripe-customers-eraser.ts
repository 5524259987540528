import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { GatewayConnections } from '../connection/gateway-connections.js';
import { StripeClients } from './stripe-clients.js';
import { isRefusedRequest, toPaymentGatewayError } from './stripe-failures.js';

/**
 * Deletes a person's customer and cards at Stripe. Deletes also the stored data of the pages on which the customer enters cards. Stripe
 * keeps the records of the person's charges. A customer in a Stripe account or mode that is no longer connected cannot be deleted by this
 * program.
 */
@Injectable()
export class StripeCustomersEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(
    private readonly pool: Pool,
    private readonly connections: GatewayConnections,
    private readonly clients: StripeClients,
  ) {}

  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    const person = [workspaceId, customerId];
    await this.pool.query(
      'DELETE FROM payments.card_setups WHERE workspace_id = $1 AND customer_id = $2',
      person,
    );
    const { rows } = await this.pool.query<{ accountId: string; mode: string; id: string }>(
      `SELECT account_id AS "accountId", mode, stripe_customer_id AS id
       FROM payments.stripe_customers WHERE workspace_id = $1 AND customer_id = $2`,
      person,
    );
    if (rows.length === 0) return;
    const connection = await this.connections.find(workspaceId);
    for (const { accountId, mode, id } of rows)
      if (connection?.accountId === accountId && connection.mode === mode)
        await this.deleteAtStripe(connection.secretKey, id);
    await this.pool.query(
      'DELETE FROM payments.stripe_customers WHERE workspace_id = $1 AND customer_id = $2',
      person,
    );
  }

  /** Does nothing if the customer was already deleted at Stripe. Throws Unavailable if Stripe gives no usable answer or refuses the key. */
  private async deleteAtStripe(secretKey: string, id: string): Promise<void> {
    try {
      await this.clients.clientOfKey(secretKey).customers.del(id);
    } catch (error) {
      if (!isRefusedRequest(error)) throw toPaymentGatewayError(error, 'the erasure is tried again');
    }
  }
}
