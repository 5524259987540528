import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  pricesOf,
  type Subscription,
  type SubscriptionUpdate,
} from '#libs/contexts/subscriptions';
import { BillingCycles } from '../advance/billing-cycles.js';
import { LicenseCounter } from '../decide/license-counter.js';

/**
 * Cancels, pauses, resumes or amends a subscription, now or later. Changes that are already due are applied first, so that the requested
 * change applies to the present period. If the change leads to a bill, its invoice is created.
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
    private readonly licenses: LicenseCounter,
  ) {}

  async execute({ context, update }: UpdateSubscription): Promise<Subscription> {
    const { now: at } = context;
    const { subscription } = await this.cycles.catchUp(context, update.subscriptionId);
    if ('change' in update)
      await this.licenses.countForPrices(context, subscription, pricesOf(update.change));
    return (await this.commands.execute(new ChangeSubscription(context, { ...update, at }))).state;
  }
}
