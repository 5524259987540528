import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { GatewayConnection } from '../connection/gateway-connections.js';
import { StripeClients } from './stripe-clients.js';

/**
 * Creates one customer at Stripe for each customer of a workspace. Stripe gets only the customer's ids, no name and no address.
 */
@Injectable()
export class StripeCustomers {
  constructor(
    private readonly pool: Pool,
    private readonly clients: StripeClients,
  ) {}

  /**
   * Returns the id that a customer has at Stripe. The customer is created at Stripe at the first call. If the process crashes before it
   * stores the id, a repeated call within 24 hours gets the same Stripe customer, because it sends the same idempotency key. If a customer
   * is created again after 24 hours, the first customer at Stripe stays unused and has no card.
   */
  async getOrCreateId(
    connection: GatewayConnection,
    workspaceId: string,
    customerId: string,
  ): Promise<string> {
    const known = await this.find(connection, workspaceId, customerId);
    return known ?? this.create(connection, workspaceId, customerId, null);
  }

  /**
   * Creates a customer again whose customer at Stripe, `deletedId`, was deleted there. Returns the new id. If the id was already replaced,
   * the present one is returned.
   */
  async replaceDeletedId(
    connection: GatewayConnection,
    workspaceId: string,
    customerId: string,
    deletedId: string,
  ): Promise<string> {
    const known = await this.find(connection, workspaceId, customerId);
    if (known !== undefined && known !== deletedId) return known;
    return this.create(connection, workspaceId, customerId, deletedId);
  }

  private async create(
    connection: GatewayConnection,
    workspaceId: string,
    customerId: string,
    deletedId: string | null,
  ): Promise<string> {
    const { accountId, mode, secretKey } = connection;
    // With the first key, Stripe would answer with the deleted customer for 24 hours.
    const idempotencyKey =
      deletedId === null ? `customer_${workspaceId}_${customerId}` : `customer_after_${deletedId}`;
    const created = await this.clients
      .clientOfKey(secretKey)
      .customers.create(
        { description: customerId, metadata: { workspace: workspaceId, customer: customerId } },
        { idempotencyKey },
      );
    await this.pool.query(
      `INSERT INTO payments.stripe_customers AS c (workspace_id, customer_id, account_id, mode, stripe_customer_id)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id, customer_id, account_id, mode)
       DO UPDATE SET stripe_customer_id = excluded.stripe_customer_id WHERE c.stripe_customer_id = $6`,
      [workspaceId, customerId, accountId, mode, created.id, deletedId],
    );
    return (await this.find(connection, workspaceId, customerId))!;
  }

  private async find(
    { accountId, mode }: GatewayConnection,
    workspaceId: string,
    customerId: string,
  ): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ stripe_customer_id: string }>(
      `SELECT stripe_customer_id FROM payments.stripe_customers
       WHERE workspace_id = $1 AND customer_id = $2 AND account_id = $3 AND mode = $4`,
      [workspaceId, customerId, accountId, mode],
    );
    return rows[0]?.stripe_customer_id;
  }
}
