import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { UpdateSubscription } from '#libs/contexts/billing';
import {
  invoiceDecider,
  Invoices,
  subscriptionIdsOf,
  type SubscriptionAction,
} from '#libs/contexts/invoicing';
import type { SubscriptionUpdate } from '#libs/contexts/subscriptions';
import { InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, follow, type CommandContext } from '#libs/kernel/event-store';

/** Does what the settings say when the retries of an invoice are over and it is still unpaid. */
@Injectable()
export class RetriesEnder {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
  ) {}

  /** Records on the invoice that its retries are over. Does nothing if it was paid or charged again meanwhile. */
  async end(context: CommandContext, invoiceId: string, afterAttemptId: string): Promise<void> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'EndPaymentRetries', at: context.now, invoiceId, afterAttemptId } as const;
    await this.aggregates.execute(invoiceDecider, id, context, command);
  }

  /**
   * Pauses or cancels the invoice's subscriptions. A cancellation ends the subscription at once: it bills the usage of the last period,
   * and gives nothing back. A subscription that has ended or is paused stays as it is.
   */
  async applyToSubscriptions(
    context: CommandContext,
    invoiceId: string,
    action: Exclude<SubscriptionAction, 'none'>,
  ): Promise<void> {
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    for (const subscriptionId of subscriptionIdsOf(invoice)) {
      await this.commands
        .execute(new UpdateSubscription(follow(context, subscriptionId), updateFor(action, subscriptionId)))
        .catch((error: unknown) => {
          if (!(error instanceof InvalidRequest)) throw error;
        });
    }
  }
}

function updateFor(action: Exclude<SubscriptionAction, 'none'>, subscriptionId: string): SubscriptionUpdate {
  if (action === 'pause') return { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null };
  const options = { credit: 'none', finalInvoice: true } as const;
  return { type: 'CancelSubscription', subscriptionId, when: 'now', options };
}
