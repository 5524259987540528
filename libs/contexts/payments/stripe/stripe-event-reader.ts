import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type Stripe from 'stripe';
import { InvalidRequest, StateConflict } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { GatewayConnections } from '../connection/gateway-connections.js';
import type { ForeignRefund } from '../payment-gateway.js';
import { fromStripeAmount } from './stripe-amounts.js';
import { StripeCharges, type StripeCharge } from './stripe-charges.js';
import { StripeClients } from './stripe-clients.js';
import { toPaymentGatewayError, ignoreMissingResource } from './stripe-failures.js';
import { readStripeEvent } from './read-stripe-event.js';
import {
  failureOfRefund,
  isRefundKeyOfUnwantedCharge,
  listForeignRefunds,
  shownRefund,
} from './stripe-refunds.js';

/** The maximum age of a webhook's signature, in seconds. Stripe recommends five minutes (docs.stripe.com/webhooks). */
const TOLERANCE_SECONDS = 300;
const PAGE = 100;

/** The present state of a charge's dispute at the processor. */
export interface GatewayDispute {
  readonly disputeId: string;
  readonly amount: string;
  readonly reason: string;
  /** The status as Stripe names it: `needs_response`, `under_review`, `won`, `lost`, `warning_closed` or another status. */
  readonly status: string;
}

/** A failed refund that Countinghouse had requested. */
export interface FailedRefund {
  readonly refundId: string;
  /** The idempotency key of the refund ({@link RefundRequest.key}). Null if the refunded charge was not needed by its invoice. */
  readonly key: string | null;
  readonly amount: string;
  readonly failure: string;
}

/** What a webhook of the payment processor reports: a change of a charge, a card, refunds, a failed refund or a dispute. */
export type GatewayNotice =
  /** The state of a charge may have changed. The present state of the charge is read from the gateway. */
  | {
      readonly type: 'charge';
      readonly chargeKey: string;
      readonly invoiceId: string;
      readonly succeeded: boolean;
    }
  | { readonly type: 'card'; readonly setupId: string }
  | {
      readonly type: 'refunds';
      readonly chargeKey: string;
      readonly invoiceId: string;
      readonly refunds: readonly ForeignRefund[];
    }
  /** A refund that Countinghouse had requested failed after Stripe had accepted it. */
  | {
      readonly type: 'refund_failure';
      readonly chargeKey: string;
      readonly invoiceId: string;
      readonly refund: FailedRefund;
    }
  | {
      readonly type: 'dispute';
      readonly chargeKey: string;
      readonly invoiceId: string;
      readonly dispute: GatewayDispute;
    };

/**
 * Receives the webhooks of Stripe. The state of the object that an event names is read from Stripe. Events may therefore come late, twice
 * and in any order.
 */
@Injectable()
export class StripeEventReader {
  constructor(
    private readonly pool: Pool,
    private readonly connections: GatewayConnections,
    private readonly clients: StripeClients,
    private readonly charges: StripeCharges,
  ) {}

  /**
   * Checks the signature of a webhook and returns its event. Throws NotFound if the workspace has no connection to Stripe. Throws
   * StateConflict (`webhook_secret_missing`) if no user has set the webhook secret. Throws InvalidRequest (`invalid_signature`) if the
   * signature is missing, wrong or older than five minutes by the machine's clock. Throws InvalidRequest (`malformed_stripe_event`) if the
   * body is signed and is no event of Stripe.
   */
  async verify(workspaceId: string, body: string, signature: string | undefined): Promise<Stripe.Event> {
    const { secretKey, webhookSecret } = await this.connections.require(workspaceId);
    if (webhookSecret === null)
      throw new StateConflict(
        'webhook_secret_missing',
        'The webhook secret is not set; set webhookSecret with PUT /v1/payment-gateway',
      );
    try {
      this.clients
        .clientOfKey(secretKey)
        .webhooks.signature!.verifyHeader(body, signature ?? '', webhookSecret, TOLERANCE_SECONDS);
    } catch {
      throw new InvalidRequest(
        'invalid_signature',
        'The Stripe-Signature header does not sign this body with the webhook secret, or is older than five minutes',
      );
    }
    return readStripeEvent(body);
  }

  async isProcessed(workspaceId: string, eventId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'SELECT 1 FROM payments.stripe_events WHERE workspace_id = $1 AND event_id = $2',
      [workspaceId, eventId],
    );
    return rowCount === 1;
  }

  /**
   * Records that a Stripe event was processed. The caller must record an event after processing it, so that Stripe's event is processed
   * again after a crash.
   */
  async storeProcessed(workspaceId: string, eventId: string): Promise<void> {
    await this.pool.query(
      'INSERT INTO payments.stripe_events (workspace_id, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [workspaceId, eventId],
    );
  }

  /**
   * Returns what a Stripe event reports. Undefined if Countinghouse does not use the event's type, or if the event is about a charge that
   * Countinghouse did not make.
   */
  async noticeOf(workspaceId: string, event: Stripe.Event): Promise<GatewayNotice | undefined> {
    const { secretKey } = await this.connections.require(workspaceId);
    const stripe = this.clients.clientOfKey(secretKey);
    try {
      return await this.read(stripe, workspaceId, event);
    } catch (error) {
      throw toPaymentGatewayError(error, 'Stripe sends the event again');
    }
  }

  private async read(
    stripe: Stripe,
    workspaceId: string,
    event: Stripe.Event,
  ): Promise<GatewayNotice | undefined> {
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- Stripe has some 250 types of events; the others are not used.
    switch (event.type) {
      case 'payment_intent.succeeded':
      case 'payment_intent.payment_failed':
      case 'payment_intent.requires_action':
      case 'payment_intent.canceled': {
        const { id } = event.data.object;
        const intent = await stripe.paymentIntents.retrieve(id);
        const charge = await this.chargeOf(workspaceId, intent);
        return charge && { type: 'charge', ...keysOf(charge), succeeded: intent.status === 'succeeded' };
      }
      case 'checkout.session.completed': {
        const { setup } = event.data.object.metadata ?? {};
        return setup === undefined ? undefined : { type: 'card', setupId: setup };
      }
      case 'setup_intent.succeeded': {
        const sessions = await stripe.checkout.sessions.list({
          limit: PAGE,
          ...customerOf(event.data.object),
        });
        const session = sessions.data.find(({ setup_intent: intent }) => intent === event.data.object.id);
        const setup = session?.metadata?.['setup'];
        return setup === undefined ? undefined : { type: 'card', setupId: setup };
      }
      case 'charge.refunded': {
        const intent = idOf(event.data.object.payment_intent);
        const charge = intent && (await this.chargeOfIntent(stripe, workspaceId, intent));
        return charge ? this.foreignRefunds(stripe, charge, intent) : undefined;
      }
      case 'refund.failed':
      case 'refund.updated':
      case 'charge.refund.updated': {
        const refund = await ignoreMissingResource(stripe.refunds.retrieve(event.data.object.id));
        const failure = refund && failureOfRefund(refund);
        const intent = refund && idOf(refund.payment_intent);
        if (failure === undefined || intent === undefined) return undefined;
        const charge = await ignoreMissingResource(this.chargeOfIntent(stripe, workspaceId, intent));
        if (!charge) return undefined;
        const key = refund!.metadata?.['refund'];
        if (key === undefined) return this.foreignRefunds(stripe, charge, intent);
        return {
          type: 'refund_failure',
          ...keysOf(charge),
          refund: { ...shownRefund(refund!), failure, key: isRefundKeyOfUnwantedCharge(key) ? null : key },
        };
      }
      case 'charge.dispute.created':
      case 'charge.dispute.updated':
      case 'charge.dispute.closed': {
        const dispute = await stripe.disputes.retrieve(event.data.object.id);
        const intent = idOf(dispute.payment_intent);
        const charge = intent && (await this.chargeOfIntent(stripe, workspaceId, intent));
        if (!charge) return undefined;
        const { id: disputeId, amount, currency, reason, status } = dispute;
        // A bank can dispute a charge in the bank's own currency. Then the whole charge counts as disputed.
        const disputed =
          currency.toUpperCase() === charge.currency ? fromStripeAmount(amount, currency) : charge.amount;
        return {
          type: 'dispute',
          ...keysOf(charge),
          dispute: { disputeId, amount: disputed, reason, status },
        };
      }
      default:
        return undefined;
    }
  }

  /** The refunds of a charge that were made at Stripe itself, oldest first. */
  private async foreignRefunds(stripe: Stripe, charge: StripeCharge, intent: string): Promise<GatewayNotice> {
    const refunds = await listForeignRefunds(stripe, intent);
    return { type: 'refunds', ...keysOf(charge), refunds };
  }

  private async chargeOfIntent(
    stripe: Stripe,
    workspaceId: string,
    intentId: string,
  ): Promise<StripeCharge | undefined> {
    const known = await this.charges.findByIntent(workspaceId, intentId);
    return known ?? this.chargeOf(workspaceId, await stripe.paymentIntents.retrieve(intentId));
  }

  /**
   * Returns the charge of a PaymentIntent, found by the PaymentIntent's metadata. The stored charge can lack the PaymentIntent's id,
   * because a webhook can arrive before Stripe's answer to the charge.
   */
  private async chargeOf(
    workspaceId: string,
    { metadata }: Pick<Stripe.PaymentIntent, 'metadata'>,
  ): Promise<StripeCharge | undefined> {
    const charge =
      metadata['attempt'] === undefined ? undefined : await this.charges.find(metadata['attempt']);
    return charge?.workspaceId === workspaceId ? charge : undefined;
  }
}

function keysOf({ key: chargeKey, invoiceId }: StripeCharge) {
  return { chargeKey, invoiceId };
}

function customerOf({ customer }: Stripe.SetupIntent): { customer?: string } {
  const id = idOf(customer);
  return id === undefined ? {} : { customer: id };
}

function idOf(reference: string | { id: string } | null): string | undefined {
  return (typeof reference === 'string' ? reference : reference?.id) ?? undefined;
}

/** Deletes stored events that are too old for Stripe to repeat. Stripe repeats an event for up to three days. */
export async function pruneStripeEvents(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM payments.stripe_events WHERE (workspace_id, event_id) IN (
       SELECT workspace_id, event_id FROM payments.stripe_events
       WHERE received_at < now() - make_interval(days => $1) ORDER BY received_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
