import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/event-store';
import { ChangeSubscription, type Subscription, type SubscriptionUpdate } from '#libs/subscriptions';
import { BillIssuing } from '../bill-issuing.js';
import { BillingCycles } from '../billing-cycles.js';
import { RefundableFees } from '../refundable-fees.js';

/**
 * Changes how a subscription goes on: cancels, pauses, resumes or amends it, now or later. What is due by now is done first, so
 * that the change is about the present period; what it leads to billing becomes an invoice.
 */
export class UpdateSubscription extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly update: SubscriptionUpdate,
  ) {
    super();
  }
}

@CommandHandler(UpdateSubscription)
export class UpdateSubscriptionHandler implements ICommandHandler<UpdateSubscription> {
  constructor(
    private readonly commands: CommandBus,
    private readonly cycles: BillingCycles,
    private readonly issuing: BillIssuing,
    private readonly refundable: RefundableFees,
  ) {}

  async execute({ context, update }: UpdateSubscription): Promise<Subscription> {
    const { accountId, now: at } = context;
    const { subscription } = await this.cycles.catchUp(context, update.subscriptionId);
    // What can be given back stands on the invoices, of which the newest may still be in the making.
    if (subscription.lastBill) await this.issuing.issue(context, subscription.lastBill);
    const refundable = await this.refundable.of(accountId, subscription);
    const change = { ...update, at, refundable };
    return (await this.commands.execute(new ChangeSubscription(context, change))).state;
  }
}
