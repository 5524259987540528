import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { subscriptionDecider, type ExistingSubscriptionCommand } from '../decider.js';
import type { Subscription } from '../subscription.js';

/** Runs a command on an existing subscription. The command can apply due changes, bill usage, pause or cancel the subscription. */
export class ChangeSubscription extends Command<{ state: Subscription; changed: boolean }> {
  constructor(
    readonly context: CommandContext,
    readonly change: ExistingSubscriptionCommand,
  ) {
    super();
  }
}

@CommandHandler(ChangeSubscription)
export class ChangeSubscriptionHandler implements ICommandHandler<ChangeSubscription> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the subscription's new state, and whether this execution changed it. */
  async execute({ context, change }: ChangeSubscription): Promise<{ state: Subscription; changed: boolean }> {
    const id = aggregateId(context.workspaceId, change.subscriptionId);
    const { state, events } = await this.aggregates.execute(subscriptionDecider, id, context, change);
    return { state, changed: events.length > 0 };
  }
}
