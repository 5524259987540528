import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import Stripe from 'stripe';
import { addSeconds, StateConflict } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import { createLogger, systemClock } from '#libs/kernel/system';
import { GatewayConnections, type GatewayConnection } from '../connection/gateway-connections.js';
import type {
  ChargeOutcome,
  ChargeRequest,
  ForeignRefund,
  PaymentGateway,
  RefundRequest,
} from '../payment-gateway.js';
import { requireRefundRefusal, refundRefusedError } from '../refund-refusal.js';
import { outcomeOfDecline, outcomeOfIntent } from './charge-outcomes.js';
import { toStripeAmount } from './stripe-amounts.js';
import { StripeCharges, type StripeCharge } from './stripe-charges.js';
import { StripeClients } from './stripe-clients.js';
import {
  isMissingResource,
  isRefusedKey,
  isRefusedRequest,
  toPaymentGatewayError,
  ignoreMissingResource,
} from './stripe-failures.js';
import { failureOfRefund, listForeignRefunds, refundKeyOfUnwantedCharge } from './stripe-refunds.js';

/**
 * The number of seconds that Stripe's clock may be behind the clock of this machine. PaymentIntents are searched from this number of
 * seconds before the charge was stored.
 */
const CLOCK_DIFFERENCE_SECONDS = 3_600;
const PAGE = 100;
/** The process manager whose tasks try refunds again. */
export const PAYMENTS_PROCESS = 'payments';
/** A task sends the refund of an unwanted charge after this time, unless the refund was made at once. */
const UNWANTED_REFUND_DELAY_SECONDS = 60;

/**
 * Charges the cards of live workspaces through Stripe.
 *
 * A charge is a PaymentIntent. The idempotency key of a charge is the id of the payment attempt, which is also in the metadata of the
 * PaymentIntent. Stripe forgets idempotency keys after 24 hours. A charge that may already have been sent is therefore first searched among
 * the customer's PaymentIntents, by the attempt's id.
 */
@Injectable()
export class StripeGateway implements PaymentGateway {
  private readonly logger = createLogger('stripe', 'warn');

  constructor(
    private readonly pool: Pool,
    private readonly clients: StripeClients,
    private readonly connections: GatewayConnections,
    private readonly charges: StripeCharges,
  ) {}

  async charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const { key, workspaceId, currency, method } = request;
    if (method.type !== 'card')
      return failed('test_method', 'A test payment method cannot be charged in a live workspace.');
    const amount = toStripeAmount(request.amount, currency);
    if (amount === undefined)
      return failed('amount_not_chargeable', `Stripe cannot charge exactly ${request.amount} ${currency}.`);
    const { charge, isFirst } = await this.charges.storeBeforeSending(request, method);
    return this.atStripe(workspaceId, async (stripe) => {
      const sent = isFirst ? undefined : await this.findIntent(stripe, charge);
      if (sent) return this.settle(key, sent);
      if (charge.paymentIntentId !== null) return this.store(key, UNKNOWN_CHARGE);
      await this.closeOthers(stripe, request);
      try {
        const intent = await stripe.paymentIntents.create(
          {
            amount,
            currency: currency.toLowerCase(),
            customer: charge.customer,
            payment_method: charge.paymentMethod,
            allowed_payment_method_types: ['card'],
            off_session: true,
            confirm: true,
            description: `Invoice ${request.invoiceId}`,
            metadata: { workspace: workspaceId, invoice: request.invoiceId, attempt: key },
          },
          { idempotencyKey: key },
        );
        return await this.settle(key, intent);
      } catch (error) {
        return this.settleRefusal(key, error);
      }
    });
  }

  async beginConfirmation(key: string, returnUrl: string): Promise<string | null> {
    const charge = await this.requireCharge(key);
    return this.atStripe(charge.workspaceId, async (stripe) => {
      let intent = await this.findIntent(stripe, charge);
      if (!intent) return null;
      // The charge was made without the customer, and the bank wants the customer to confirm it. Stripe then treats the charge as declined.
      // So the charge is confirmed once more, now with the customer.
      if (intent.status === 'requires_payment_method') {
        try {
          intent = await stripe.paymentIntents.confirm(intent.id, {
            payment_method: charge.paymentMethod,
            off_session: false,
            return_url: returnUrl,
          });
        } catch (error) {
          if (error instanceof Stripe.errors.StripeCardError) return null;
          if (!isRefusedRequest(error)) throw error;
          intent = await stripe.paymentIntents.retrieve(intent.id);
          // Stripe refuses the card itself, because it was removed. The charge cannot be confirmed any more.
          if (intent.status === 'requires_payment_method') {
            await cancelIntent(stripe, intent);
            return null;
          }
        }
      }
      return intent.status === 'requires_action' ? (intent.next_action?.redirect_to_url?.url ?? null) : null;
    });
  }

  async completeConfirmation(key: string): Promise<ChargeOutcome> {
    await this.charges.storeConfirmed(key);
    return this.readOutcome(key);
  }

  async cancelWaitingCharge(key: string): Promise<void> {
    const charge = await this.charges.find(key);
    if (!charge || charge.status === 'failed') return;
    await this.atStripe(charge.workspaceId, (stripe) => this.close(stripe, charge));
  }

  async readOutcome(key: string): Promise<ChargeOutcome> {
    const charge = await this.charges.find(key);
    if (!charge) return UNKNOWN_CHARGE;
    // The money was taken, even if the connected account does not know the charge any more.
    if (charge.status === 'succeeded') return { status: 'succeeded' };
    return this.atStripe(charge.workspaceId, async (stripe) => {
      const intent = await this.findIntent(stripe, charge);
      return intent ? this.settle(key, intent) : this.store(key, UNKNOWN_CHARGE);
    });
  }

  /** Stripe refuses refunds that exceed the amount of the charge. */
  async refund({ key, chargeKey, workspaceId, amount, currency, isRest }: RefundRequest): Promise<void> {
    const charge = await this.requireCharge(chargeKey);
    if (charge.workspaceId !== workspaceId || charge.currency !== currency)
      throw new Error(`Charge ${chargeKey} is of another workspace or in another currency`);
    const exact = toStripeAmount(amount, currency);
    if (exact === undefined) throw refundRefusedError(`Stripe cannot refund exactly ${amount} ${currency}`);
    // Stripe keeps the refusal of the whole amount under its idempotency key, and refuses the key with another amount.
    const idempotencyKey = isRest ? `${key}.${exact}` : key;
    const refund = { key, idempotencyKey, amount, exact };
    await this.atStripe(workspaceId, (stripe) => this.refundIntent(stripe, charge, refund));
  }

  async refundsMadeElsewhere(chargeKey: string): Promise<readonly ForeignRefund[]> {
    const charge = await this.requireCharge(chargeKey);
    return this.atStripe(charge.workspaceId, async (stripe) => {
      const intent = await this.findIntent(stripe, charge);
      return intent ? listForeignRefunds(stripe, intent.id) : [];
    });
  }

  /**
   * Refunds in full a charge that succeeded although its invoice does not need it any more. Such an invoice was meanwhile paid in another
   * way, voided or changed. Does nothing if the charge was already refunded. If Stripe refuses the refund for good, only a warning is
   * logged. Stripe refuses if the charge was already refunded in Stripe's dashboard, or if it is disputed. A dispute is decided by the
   * bank. If the refund fails otherwise, a task tries it again.
   */
  async refundUnwantedCharge(key: string): Promise<void> {
    const charge = await this.requireCharge(key);
    await this.planUnwantedRefund(charge);
    await this.sendUnwantedRefund(charge);
  }

  /** Sends the refund that {@link refundUnwantedCharge} has begun, unless Stripe has answered it. */
  async continueUnwantedRefund(key: string): Promise<void> {
    const { rowCount } = await this.pool.query(
      'SELECT FROM payments.stripe_refunds WHERE key = $1 AND refund_id IS NULL',
      [refundKeyOfUnwantedCharge(key)],
    );
    if (rowCount === 1) await this.sendUnwantedRefund(await this.requireCharge(key));
  }

  /** Stores the refund before it is sent, and the task that sends it if this process cannot. */
  private async planUnwantedRefund({ key, workspaceId, amount }: StripeCharge): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const { rowCount } = await tx.query(
        `INSERT INTO payments.stripe_refunds (key, workspace_id, charge_key, amount) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key) DO NOTHING`,
        [refundKeyOfUnwantedCharge(key), workspaceId, key, amount],
      );
      if (rowCount === 0) return;
      const dueAt = addSeconds(systemClock.now(), UNWANTED_REFUND_DELAY_SECONDS);
      await addTasks(tx, PAYMENTS_PROCESS, { eventId: key, workspaceId, correlationId: key }, [
        { name: 'refund-unwanted-charge', payload: { chargeKey: key }, clock: 'system', dueAt },
      ]);
    });
  }

  private async sendUnwantedRefund(charge: StripeCharge): Promise<void> {
    const { key, amount, currency, workspaceId } = charge;
    const exact = toStripeAmount(amount, currency)!;
    const refundKey = refundKeyOfUnwantedCharge(key);
    const refund = { key: refundKey, idempotencyKey: refundKey, amount, exact };
    try {
      await this.atStripe(workspaceId, (stripe) => this.refundIntent(stripe, charge, refund));
    } catch (error) {
      this.logger.warn(
        { charge: key, refusal: requireRefundRefusal(error).message },
        'a charge is not refunded',
      );
    }
  }

  async isUnwantedCharge(key: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM payments.stripe_refunds WHERE key = $1', [
      refundKeyOfUnwantedCharge(key),
    ]);
    return rowCount === 1;
  }

  private async refundIntent(
    stripe: Stripe,
    charge: StripeCharge,
    { key, idempotencyKey, amount, exact }: SentRefund,
  ): Promise<void> {
    const { rows } = await this.pool.query<{ refund_id: string | null }>(
      `INSERT INTO payments.stripe_refunds (key, workspace_id, charge_key, amount) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key) DO NOTHING RETURNING refund_id`,
      [key, charge.workspaceId, charge.key, amount],
    );
    const intent = charge.paymentIntentId ?? (await this.requireIntent(stripe, charge)).id;
    const sent = rows[0] ? undefined : await findRefund(stripe, intent, key);
    const refund = sent ?? (await this.createRefund(stripe, charge, intent, { key, idempotencyKey, exact }));
    await this.pool.query('UPDATE payments.stripe_refunds SET refund_id = $2 WHERE key = $1', [
      key,
      refund.id,
    ]);
    // The refund can have failed before its first answer was seen.
    const failure = failureOfRefund(refund);
    if (failure !== undefined) throw refundRefusedError(failure);
  }

  /**
   * Makes a refund at Stripe. Throws Conflict (`refund_refused`) if Stripe refuses the refund, for example because the charge is disputed
   * or already refunded.
   */
  private async createRefund(
    stripe: Stripe,
    { workspaceId }: StripeCharge,
    intent: string,
    { key, idempotencyKey, exact }: Omit<SentRefund, 'amount'>,
  ): Promise<Stripe.Refund> {
    try {
      return await stripe.refunds.create(
        { payment_intent: intent, amount: exact, metadata: { workspace: workspaceId, refund: key } },
        { idempotencyKey },
      );
    } catch (error) {
      // More money can come into the account, and then the refund can be made.
      if (!isRefusedRequest(error) || error.code === 'balance_insufficient') throw error;
      await this.pool.query('DELETE FROM payments.stripe_refunds WHERE key = $1 AND refund_id IS NULL', [
        key,
      ]);
      throw refundRefusedError(`Stripe refused the refund: ${error.message}`);
    }
  }

  /**
   * Closes earlier charges of the invoice that still wait for the customer's confirmation. If an earlier charge stayed open, the customer
   * could confirm it later and pay twice. An earlier charge that the customer has just confirmed is refunded.
   */
  private async closeOthers(stripe: Stripe, request: ChargeRequest): Promise<void> {
    for (const other of await this.charges.otherOpenCharges(request)) await this.close(stripe, other);
  }

  /** Cancels a charge at Stripe. A charge that succeeded cannot be canceled, and is refunded. */
  private async close(stripe: Stripe, charge: StripeCharge): Promise<void> {
    const intent = await this.findIntent(stripe, charge);
    const result = intent && intent.status !== 'succeeded' ? await cancelIntent(stripe, intent) : intent;
    if (result?.status === 'succeeded') await this.refundUnwantedCharge(charge.key);
    await this.charges.storeStatus(charge.key, 'failed');
  }

  /**
   * Returns the present PaymentIntent of a charge. Undefined if the charge never reached Stripe, or if Stripe does not know it, for example
   * because another Stripe account is connected now.
   */
  private async findIntent(stripe: Stripe, charge: StripeCharge): Promise<Stripe.PaymentIntent | undefined> {
    if (charge.paymentIntentId !== null)
      return ignoreMissingResource(stripe.paymentIntents.retrieve(charge.paymentIntentId));
    const from = Math.floor(Date.parse(charge.createdAt) / 1_000) - CLOCK_DIFFERENCE_SECONDS;
    try {
      return await this.searchIntent(stripe, charge, { customer: charge.customer, created: { gte: from } });
    } catch (error) {
      // Stripe lists no charges of a customer that was deleted. The charge is among those of all customers.
      if (!isMissingResource(error)) throw error;
      return this.searchIntent(stripe, charge, { created: { gte: from } });
    }
  }

  private async searchIntent(
    stripe: Stripe,
    charge: StripeCharge,
    where: Pick<Stripe.PaymentIntentListParams, 'customer' | 'created'>,
  ): Promise<Stripe.PaymentIntent | undefined> {
    for await (const intent of stripe.paymentIntents.list({ ...where, limit: PAGE }))
      if (intent.metadata['attempt'] === charge.key) {
        await this.charges.storeIntent(charge.key, intent.id);
        return intent;
      }
    return undefined;
  }

  private async requireIntent(stripe: Stripe, charge: StripeCharge): Promise<Stripe.PaymentIntent> {
    const intent = await this.findIntent(stripe, charge);
    if (!intent) throw new Error(`Stripe has no PaymentIntent of the charge ${charge.key}`);
    return intent;
  }

  private async settle(key: string, intent: Stripe.PaymentIntent): Promise<ChargeOutcome> {
    await this.charges.storeIntent(key, intent.id);
    return this.store(key, outcomeOfIntent(intent));
  }

  /** The result of a charge that Stripe answered with an error. Rethrows the error if the result of the charge is unknown. */
  private async settleRefusal(key: string, error: unknown): Promise<ChargeOutcome> {
    if (error instanceof Stripe.errors.StripeCardError) {
      if (error.payment_intent) await this.charges.storeIntent(key, error.payment_intent.id);
      return this.store(key, outcomeOfDecline(error));
    }
    if (isRefusedRequest(error))
      return this.store(key, failed(error.code ?? 'invalid_request', `Stripe refused: ${error.message}`));
    throw error;
  }

  private async store(key: string, outcome: ChargeOutcome): Promise<ChargeOutcome> {
    await this.charges.storeStatus(key, outcome.status);
    return outcome;
  }

  private async requireCharge(key: string): Promise<StripeCharge> {
    const charge = await this.charges.find(key);
    if (!charge) throw new Error(`No charge ${key} was sent to Stripe`);
    return charge;
  }

  /**
   * Runs requests to Stripe. Stores with the connection whether Stripe accepts the secret key. Converts errors of Stripe's client to errors
   * of the API. Throws StateConflict (`no_payment_gateway`) if the workspace is disconnected.
   */
  private async atStripe<T>(workspaceId: string, work: (stripe: Stripe) => Promise<T>): Promise<T> {
    const connection: GatewayConnection | undefined = await this.connections.find(workspaceId);
    if (!connection)
      throw new StateConflict('no_payment_gateway', 'The payment gateway was disconnected; connect it again');
    try {
      const result = await work(this.clients.clientOfKey(connection.secretKey));
      if (connection.keyRefusedAt !== null)
        await this.connections.storeKeyStatus(connection, { isRefused: false });
      return result;
    } catch (error) {
      if (isRefusedKey(error)) await this.connections.storeKeyStatus(connection, { isRefused: true });
      throw toPaymentGatewayError(error, 'the result is queried before anything is charged again');
    }
  }
}

/** A refund as it is sent to Stripe. `exact` is the amount in Stripe's unit. */
interface SentRefund {
  readonly key: string;
  readonly idempotencyKey: string;
  readonly amount: string;
  readonly exact: number;
}

/** A charge that the connected Stripe account does not know counts as failed. */
const UNKNOWN_CHARGE: ChargeOutcome = {
  status: 'failed',
  code: 'resource_missing',
  message: 'The connected Stripe account does not know this payment.',
};

function failed(code: string, message: string): ChargeOutcome {
  return { status: 'failed', code, message };
}

/** Cancels a PaymentIntent. If the PaymentIntent cannot be canceled any more, its present state is returned. */
async function cancelIntent(
  stripe: Stripe,
  { id, status }: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  if (status === 'canceled') return stripe.paymentIntents.retrieve(id);
  try {
    return await stripe.paymentIntents.cancel(id);
  } catch (error) {
    if (!isRefusedRequest(error)) throw error;
    const now = await stripe.paymentIntents.retrieve(id);
    // While Stripe still processes the PaymentIntent, the next charge must wait for the result.
    if (now.status !== 'succeeded' && now.status !== 'canceled') throw error;
    return now;
  }
}

async function findRefund(stripe: Stripe, intent: string, key: string): Promise<Stripe.Refund | undefined> {
  for await (const refund of stripe.refunds.list({ payment_intent: intent, limit: PAGE }))
    if (refund.metadata?.['refund'] === key) return refund;
  return undefined;
}
