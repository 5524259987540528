import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type Stripe from 'stripe';
import { SETTINGS } from '#libs/kernel/app';
import { StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { publicUrlOf, type Settings } from '#libs/kernel/system';
import type { CardPaymentMethod, PaymentMethodPurpose } from '#libs/contexts/customers';
import { GatewayConnections, type GatewayConnection } from '../connection/gateway-connections.js';
import { cardLabel } from './card-label.js';
import { StripeClients } from './stripe-clients.js';
import { StripeCustomers } from './stripe-customers.js';
import { isMissingResource, toPaymentGatewayError } from './stripe-failures.js';

/** A page of Stripe on which a customer enters a card. */
export interface CardSetup {
  readonly id: string;
  readonly workspaceId: string;
  readonly customerId: string;
  /** The id that the payment method gets when the card is saved. */
  readonly paymentMethodId: string;
  /** The address to which the customer returns from Stripe's page. */
  readonly returnUrl: string;
  readonly purpose: PaymentMethodPurpose;
  /** The id of Stripe's Checkout Session. Null until Stripe has made the Checkout Session. */
  readonly sessionId: string | null;
  /** The address of Stripe's page. Null until Stripe has made the Checkout Session. */
  readonly url: string | null;
}

type NewSetup = Omit<CardSetup, 'sessionId' | 'url'> & { readonly startedAt: Instant };

const COLUMNS = `id, workspace_id AS "workspaceId", customer_id AS "customerId", payment_method_id AS "paymentMethodId",
  return_url AS "returnUrl", purpose, session_id AS "sessionId", session_url AS url`;

/** Manages Stripe's pages where customers enter cards. Each page is a Checkout Session in the mode `setup`. */
@Injectable()
export class CardSetups {
  constructor(
    private readonly pool: Pool,
    private readonly connections: GatewayConnections,
    private readonly clients: StripeClients,
    private readonly customers: StripeCustomers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Creates Stripe's page and returns its address. A repeated call returns the address of the existing page. A customer that was deleted at
   * Stripe is created there again.
   */
  async start({ startedAt, ...setup }: NewSetup): Promise<string> {
    const { id, workspaceId, customerId, paymentMethodId, returnUrl, purpose } = setup;
    const connection = await this.connectionOf(workspaceId);
    await this.pool.query(
      `INSERT INTO payments.card_setups (id, workspace_id, customer_id, payment_method_id, return_url, purpose, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`,
      [id, workspaceId, customerId, paymentMethodId, returnUrl, purpose, startedAt],
    );
    const known = await this.require(id);
    if (known.url !== null) return known.url;
    try {
      const customer = await this.customers.getOrCreateId(connection, workspaceId, customerId);
      const session = await this.openSession(connection, known, customer).catch(async (error: unknown) => {
        if (!isMissingResource(error)) throw error;
        const created = await this.customers.replaceDeletedId(connection, workspaceId, customerId, customer);
        return this.openSession(connection, known, created);
      });
      await this.pool.query(
        'UPDATE payments.card_setups SET session_id = $2, session_url = $3 WHERE id = $1',
        [id, session.id, session.url],
      );
      return session.url!;
    } catch (error) {
      throw toPaymentGatewayError(error, 'no card was saved, repeat the request');
    }
  }

  /** Returns a card setup. Throws NotFound if the card setup does not exist, or was deleted because of its age. */
  async require(id: string): Promise<CardSetup> {
    const { rows } = await this.pool.query<CardSetup>(
      `SELECT ${COLUMNS} FROM payments.card_setups WHERE id = $1`,
      [id],
    );
    if (!rows[0]) throw NotFound.of('card setup', id);
    return rows[0];
  }

  /**
   * Returns the card that the customer has entered on Stripe's page. Undefined while the customer has not completed Stripe's page. Throws
   * StateConflict (`no_payment_gateway`) if the workspace has no connection to Stripe any more.
   */
  async savedCard({
    workspaceId,
    paymentMethodId,
    sessionId,
  }: CardSetup): Promise<CardPaymentMethod | undefined> {
    if (sessionId === null) return undefined;
    const { secretKey } = await this.connectionOf(workspaceId);
    try {
      const session = await this.clients
        .clientOfKey(secretKey)
        .checkout.sessions.retrieve(sessionId, { expand: ['setup_intent.payment_method'] });
      return session.status === 'complete' ? cardOf(session, paymentMethodId) : undefined;
    } catch (error) {
      throw toPaymentGatewayError(error, 'no card was saved, repeat the request');
    }
  }

  private async openSession(
    { secretKey }: GatewayConnection,
    { id, workspaceId }: CardSetup,
    customer: string,
  ): Promise<Stripe.Checkout.Session> {
    const back = `${publicUrlOf(this.settings)}/v1/gateways/stripe/card-setups/${id}`;
    const metadata = { workspace: workspaceId, setup: id };
    return this.clients.clientOfKey(secretKey).checkout.sessions.create(
      {
        mode: 'setup',
        customer,
        allowed_payment_method_types: ['card'],
        metadata,
        success_url: back,
        cancel_url: back,
      },
      // Stripe refuses a key that comes again with another customer.
      { idempotencyKey: `${id}_${customer}` },
    );
  }

  private async connectionOf(workspaceId: string): Promise<GatewayConnection> {
    const connection = await this.connections.find(workspaceId);
    if (!connection)
      throw new StateConflict(
        'no_payment_gateway',
        'This workspace has no payment processor, so cards cannot be saved; connect Stripe with PUT /v1/payment-gateway in the live workspace',
      );
    return connection;
  }
}

function cardOf(session: Stripe.Checkout.Session, paymentMethodId: string): CardPaymentMethod | undefined {
  const intent = session.setup_intent;
  const method = typeof intent === 'object' ? intent?.payment_method : undefined;
  const customer = typeof session.customer === 'object' ? session.customer?.id : session.customer;
  if (typeof method !== 'object' || !method?.card || !customer) return undefined;
  const { brand, last4, exp_month: expiryMonth, exp_year: expiryYear } = method.card;
  return {
    paymentMethodId,
    type: 'card',
    gateway: 'stripe',
    gatewayCustomerId: customer,
    gatewayMethodId: method.id,
    expiryMonth,
    expiryYear,
    label: cardLabel(brand, last4),
  };
}

/**
 * Deletes at most `limit` card setups that are older than `days` days, and returns the number of deleted card setups. Stripe's pages for
 * these card setups have expired.
 */
export async function pruneCardSetups(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM payments.card_setups WHERE id IN (
       SELECT id FROM payments.card_setups WHERE created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
