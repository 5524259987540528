import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '#libs/contexts/invoicing';
import { Subscriptions, type Bill, type Subscription } from '#libs/contexts/subscriptions';
import {
  AmendmentPreviewer,
  type AmendmentRequest,
  type AmendmentResult,
} from '../previews/amendment-previewer.js';
import { BillInvoicer } from '../invoice/bill-invoicer.js';
import { BillPreviewer } from '../previews/bill-previewer.js';
import { UpdateSubscription } from './update-subscription.js';

/** Amends the terms of a subscription, now or later. If the amendment bills something now, this command also creates the invoice. */
export class AmendSubscription extends Command<AmendmentResult> {
  constructor(
    readonly context: CommandContext,
    readonly subscriptionId: string,
    readonly request: AmendmentRequest,
  ) {
    super();
  }
}

/** The id of the amendment that a command with this context creates: the same for each attempt of the command. */
export function amendmentIdOf(context: Pick<CommandContext, 'workspaceId' | 'commandId'>): string {
  return idFor(context, 'amd');
}

@CommandHandler(AmendSubscription)
export class AmendSubscriptionHandler implements ICommandHandler<AmendSubscription> {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly amendments: AmendmentPreviewer,
    private readonly invoicer: BillInvoicer,
    private readonly previews: BillPreviewer,
  ) {}

  async execute({ context, subscriptionId, request }: AmendSubscription): Promise<AmendmentResult> {
    const { workspaceId } = context;
    const before = await this.subscriptions.require(workspaceId, subscriptionId);
    const amendmentId = amendmentIdOf(context);
    const isDone = before.amendments.some((amendment) => amendment.amendmentId === amendmentId);
    const subscription = isDone ? before : await this.change(context, before, amendmentId, request);
    const amendment = subscription.amendments.find((one) => one.amendmentId === amendmentId)!;
    const bill = subscription.lastBill;
    const isBilled = bill !== null && bill.invoiceId === amendment.invoiceId;
    const invoice = isBilled ? await this.invoiceOf(context, bill) : null;
    return {
      amendment,
      subscription,
      invoice:
        invoice && (await this.previews.previewWithBalance(workspaceId, { ...invoice, subscriptionId })),
    };
  }

  /**
   * Returns the invoice of the amendment's bill. Null if the invoice cannot be created now, for example because the SQL of a metric fails.
   * The amendment is stored, so it is not refused, and a task creates the invoice later.
   */
  private async invoiceOf(context: CommandContext, bill: Bill): Promise<Invoice | null> {
    try {
      return await this.invoicer.getOrCreate(context, bill);
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return null;
      throw error;
    }
  }

  private async change(
    context: CommandContext,
    subscription: Subscription,
    amendmentId: string,
    request: AmendmentRequest,
  ): Promise<Subscription> {
    const update = await this.amendments.toSubscriptionUpdate(
      context.workspaceId,
      subscription,
      amendmentId,
      request,
    );
    return this.commands.execute(new UpdateSubscription(context, update));
  }
}
