import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import { ChangeSubscription, type Subscription, type SubscriptionUpdate } from '#libs/contexts/subscriptions';
import { BillingCycles } from '../advance/billing-cycles.js';

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
  ) {}

  async execute({ context, update }: UpdateSubscription): Promise<Subscription> {
    const { now: at } = context;
    await this.cycles.catchUp(context, update.subscriptionId);
    return (await this.commands.execute(new ChangeSubscription(context, { ...update, at }))).state;
  }
}
