import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/event-store';
import { ChangeSubscription, type Subscription } from '#libs/subscriptions';
import { BillingCycles } from '../billing-cycles.js';

/**
 * Ends a subscription now, or at the end of its present period. What is in arrears by then is billed; what was paid in
 * advance stays paid. InvalidRequest (`already_canceled`) if it has ended.
 */
export class CancelSubscription extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly subscriptionId: string,
    readonly immediately: boolean,
  ) {
    super();
  }
}

@CommandHandler(CancelSubscription)
export class CancelSubscriptionHandler implements ICommandHandler<CancelSubscription> {
  constructor(
    private readonly commands: CommandBus,
    private readonly cycles: BillingCycles,
  ) {}

  async execute({ context, subscriptionId, immediately }: CancelSubscription): Promise<Subscription> {
    await this.cycles.catchUp(context, subscriptionId);
    const { state } = await this.commands.execute(
      new ChangeSubscription(context, {
        type: 'CancelSubscription',
        subscriptionId,
        immediately,
        at: context.now,
      }),
    );
    return state;
  }
}
