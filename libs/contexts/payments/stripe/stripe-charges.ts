import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Decimal, StateConflict } from '#libs/kernel/core';
import type { ChargeableCard, ChargeOutcome, ChargeRequest } from '../payment-gateway.js';

/** The stored data of a charge at Stripe. */
export interface StripeCharge {
  /** The idempotency key of the charge: the id of the payment attempt. */
  readonly key: string;
  readonly workspaceId: string;
  readonly invoiceId: string;
  /** The amount in units of the currency, not in Stripe's units. */
  readonly amount: string;
  readonly currency: string;
  /** Stripe's id of the customer. */
  readonly customer: string;
  /** Stripe's id of the card. */
  readonly paymentMethod: string;
  /** Null until Stripe has answered. */
  readonly paymentIntentId: string | null;
  /** Null while the result of the charge is unknown. */
  readonly status: ChargeOutcome['status'] | null;
  readonly createdAt: string;
}

const COLUMNS = `key, workspace_id AS "workspaceId", invoice_id AS "invoiceId", amount, currency, customer,
  payment_method AS "paymentMethod", payment_intent_id AS "paymentIntentId", status, created_at AS "createdAt"`;

/**
 * Stores which charges were sent to Stripe. A charge is stored before it is sent. A caller that finds the charge stored searches for it at
 * Stripe before sending it, because it may have been sent already.
 */
@Injectable()
export class StripeCharges {
  constructor(private readonly pool: Pool) {}

  /**
   * Stores a charge that is about to be sent. `isFirst` is false if the charge was already stored, because it may then have been sent.
   * Throws StateConflict (`no_payment_gateway`) if the workspace was disconnected from Stripe meanwhile.
   */
  async storeBeforeSending(
    { key, workspaceId, invoiceId, amount, currency }: ChargeRequest,
    { gatewayCustomerId, gatewayMethodId }: ChargeableCard,
  ): Promise<{ charge: StripeCharge; isFirst: boolean }> {
    // The lock on the connection's row makes a disconnection wait, and then see this charge.
    const { rows } = await this.pool.query<StripeCharge>(
      `WITH connected AS (SELECT 1 FROM payments.gateway_connections WHERE workspace_id = $2 FOR SHARE)
       INSERT INTO payments.stripe_charges (key, workspace_id, invoice_id, amount, currency, customer, payment_method)
       SELECT $1, $2, $3, $4, $5, $6, $7 FROM connected ON CONFLICT (key) DO NOTHING RETURNING ${COLUMNS}`,
      [key, workspaceId, invoiceId, amount, currency, gatewayCustomerId, gatewayMethodId],
    );
    if (rows[0]) return { charge: rows[0], isFirst: true };
    const charge = await this.find(key);
    if (!charge)
      throw new StateConflict('no_payment_gateway', 'The payment gateway was disconnected; connect it again');
    if (charge.currency !== currency || !new Decimal(charge.amount).eq(amount))
      throw new Error(
        `Charge ${key} was made for ${charge.amount} ${charge.currency}, not for ${amount} ${currency}`,
      );
    return { charge, isFirst: false };
  }

  async find(key: string): Promise<StripeCharge | undefined> {
    return this.findWhere('key = $1', [key]);
  }

  /**
   * The charge of a PaymentIntent. Undefined if the charge's PaymentIntent is not stored yet, or if Countinghouse did not make the charge.
   */
  async findByIntent(workspaceId: string, paymentIntentId: string): Promise<StripeCharge | undefined> {
    return this.findWhere('workspace_id = $1 AND payment_intent_id = $2', [workspaceId, paymentIntentId]);
  }

  /**
   * The charges of the invoice, except the requested one, that could still take money, because they wait for the customer or their result
   * is unknown.
   */
  async otherOpenCharges({ key, workspaceId, invoiceId }: ChargeRequest): Promise<StripeCharge[]> {
    const { rows } = await this.pool.query<StripeCharge>(
      `SELECT ${COLUMNS} FROM payments.stripe_charges
       WHERE workspace_id = $1 AND invoice_id = $2 AND key <> $3 AND status IS DISTINCT FROM 'succeeded'
         AND status IS DISTINCT FROM 'failed'`,
      [workspaceId, invoiceId, key],
    );
    return rows;
  }

  async storeIntent(key: string, paymentIntentId: string): Promise<void> {
    await this.pool.query('UPDATE payments.stripe_charges SET payment_intent_id = $2 WHERE key = $1', [
      key,
      paymentIntentId,
    ]);
  }

  /** Stores that the customer has confirmed a charge, so its result is unknown. A result that was found meanwhile stays as it is. */
  async storeConfirmed(key: string): Promise<void> {
    // As in `storeBeforeSending`, the lock makes a disconnection wait, and then see this charge.
    await this.pool.query(
      `WITH connected AS (
         SELECT 1 FROM payments.gateway_connections
         WHERE workspace_id = (SELECT workspace_id FROM payments.stripe_charges WHERE key = $1) FOR SHARE)
       UPDATE payments.stripe_charges SET status = NULL FROM connected WHERE key = $1 AND status = 'requires_action'`,
      [key],
    );
  }

  async storeStatus(key: string, status: ChargeOutcome['status']): Promise<void> {
    await this.pool.query(
      'UPDATE payments.stripe_charges SET status = $2 WHERE key = $1 AND status IS DISTINCT FROM $2',
      [key, status],
    );
  }

  private async findWhere(condition: string, values: string[]): Promise<StripeCharge | undefined> {
    const { rows } = await this.pool.query<StripeCharge>(
      `SELECT ${COLUMNS} FROM payments.stripe_charges WHERE ${condition}`,
      values,
    );
    return rows[0];
  }
}
