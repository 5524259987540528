import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { UpdateSubscription } from '#libs/contexts/billing';
import {
  invoiceDecider,
  Invoices,
  subscriptionIdsOf,
  type UnpaidSubscriptionAction,
} from '#libs/contexts/invoicing';
import type { SubscriptionUpdate } from '#libs/contexts/subscriptions';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { PayInvoice } from './commands/pay-invoice.js';
import { InvoicePayments } from './invoice-payments.js';
import { CurrentPaymentRetrySettings } from './settings/current-payment-retry-settings.js';

/** The error codes that mean that a retry is not needed any more. */
const RETRY_IS_OVER = ['retry_not_due', 'invoice_already_paid', 'invoice_void'];
/** The error codes that mean that a subscription needs no pause or cancellation. */
const SUBSCRIPTION_IS_OVER = [
  'already_canceled',
  'subscription_canceled',
  'already_paused',
  'subscription_not_started',
];

/**
 * Makes the planned retries of failed charges. If the invoice is still unpaid after the last retry, takes the action that the retry
 * settings name.
 */
@Injectable()
export class PaymentRetrier {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly settings: CurrentPaymentRetrySettings,
  ) {}

  /**
   * Makes the retry that was planned after an attempt. If the customer cannot be charged automatically, records that the retry was skipped.
   * Throws Unavailable (`no_payment_gateway`) if the workspace has no payment gateway. The retry then waits until a gateway is connected
   * again. Does nothing if the retry is not planned any more.
   */
  async retry(context: CommandContext, invoiceId: string, afterAttemptId: string): Promise<void> {
    const { workspaceId } = context;
    const { customerId } = await this.invoices.require(workspaceId, invoiceId);
    await unlessRefused(RETRY_IS_OVER, async () => {
      if (!(await this.payments.canChargeAutomatically(workspaceId, customerId)))
        return this.skip(context, invoiceId, afterAttemptId);
      try {
        const charge = new PayInvoice(context, invoiceId, { retryAfter: afterAttemptId });
        await this.payments.awaitChargeUnlessInProgress(
          workspaceId,
          invoiceId,
          this.commands.execute(charge),
        );
      } catch (error) {
        if (!(error instanceof InvalidRequest)) throw error;
        if (error.code === 'no_payment_gateway')
          throw new Unavailable('payment_gateway_awaited', error.message);
        if (error.code !== 'no_payment_method') throw error;
        // The payment method was removed in this moment.
        await this.skip(context, invoiceId, afterAttemptId);
      }
    });
  }

  private async skip(context: CommandContext, invoiceId: string, afterAttemptId: string): Promise<void> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const retryRules = await this.settings.findRetryRules(context.workspaceId);
    await this.aggregates.execute(invoiceDecider, id, context, {
      type: 'SkipPaymentRetry',
      at: context.now,
      invoiceId,
      afterAttemptId,
      retryRules,
    });
  }

  /**
   * Records on the invoice that its retries are over. Does nothing if the invoice is not open any more, or was charged again meanwhile.
   * Throws StateConflict (`payment_in_progress`) while a payment from the customer's balance is in progress.
   */
  async endRetries(context: CommandContext, invoiceId: string, afterAttemptId: string): Promise<void> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'EndPaymentRetries', at: context.now, invoiceId, afterAttemptId } as const;
    await this.aggregates.execute(invoiceDecider, id, context, command);
  }

  /**
   * Pauses or cancels the invoice's subscriptions. A cancellation ends the subscription at once. The cancellation bills the usage of the
   * last period, and gives no money back. A subscription that has ended stays as it is. A pause does not change a subscription that is
   * paused or has not started. What a pause gives back pays open invoices. A cancellation ends such a subscription too. Does nothing if the invoice was paid or voided meanwhile.
   */
  async pauseOrCancelSubscriptions(
    context: CommandContext,
    invoiceId: string,
    action: Exclude<UnpaidSubscriptionAction, 'none'>,
  ): Promise<void> {
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    if (invoice.status === 'paid' || invoice.status === 'void') return;
    for (const subscriptionId of subscriptionIdsOf(invoice)) {
      const update = updateFor(action, subscriptionId);
      await unlessRefused(SUBSCRIPTION_IS_OVER, () =>
        this.commands.execute(new UpdateSubscription(followUpContext(context, subscriptionId), update)),
      );
    }
  }
}

function updateFor(
  action: Exclude<UnpaidSubscriptionAction, 'none'>,
  subscriptionId: string,
): SubscriptionUpdate {
  if (action === 'pause')
    return {
      type: 'PauseSubscription',
      subscriptionId,
      pauseAt: null,
      resumeAt: null,
      paysOpenInvoices: true,
    };
  const options = { credit: 'none', finalInvoice: true } as const;
  return { type: 'CancelSubscription', subscriptionId, when: 'now', options };
}

/**
 * Runs a command. An error with one of the given codes is ignored, because the command is then not needed any more. Other errors are
 * thrown.
 */
async function unlessRefused(codes: readonly string[], run: () => Promise<unknown>): Promise<void> {
  await run().catch((error: unknown) => {
    if (!(error instanceof InvalidRequest && codes.includes(error.code))) throw error;
  });
}
