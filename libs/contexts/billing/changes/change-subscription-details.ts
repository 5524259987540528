import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  ExternalIds,
  subscriptionDecider,
  Subscriptions,
  type DetailsChange,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { DueChangeApplier } from '../advance/due-change-applier.js';

/**
 * Changes details of a subscription that charge nothing by themselves, and keeps what the change does not name. Returns the subscription.
 * Throws NotFound for an unknown subscription, StateConflict if the subscription has ended, and Conflict (`external_id_in_use`) if another
 * subscription has the external id.
 */
export class ChangeSubscriptionDetails extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly subscriptionId: string,
    readonly details: DetailsChange,
  ) {
    super();
  }
}

@CommandHandler(ChangeSubscriptionDetails)
export class ChangeSubscriptionDetailsHandler implements ICommandHandler<ChangeSubscriptionDetails> {
  constructor(
    private readonly commands: CommandBus,
    private readonly cycles: DueChangeApplier,
    private readonly subscriptions: Subscriptions,
    private readonly externalIds: ExternalIds,
  ) {}

  async execute({ context, subscriptionId, details }: ChangeSubscriptionDetails): Promise<Subscription> {
    const { now: at } = context;
    // Changes that are due come first, so that the events of the subscription are in the order in which they take effect.
    const { subscription } = await this.cycles.applyDueChanges(context, subscriptionId);
    const before = subscription.externalId ?? null;
    const { externalId = before } = details;
    const command = { type: 'ChangeDetails', subscriptionId, details, externalIdBefore: before, at } as const;
    // Refuse an invalid command before the external id is taken for it.
    subscriptionDecider.decide(command, subscription);
    if (externalId === before)
      return (await this.commands.execute(new ChangeSubscription(context, command))).state;
    const former =
      before === null ? undefined : await this.externalIds.claimOf(context, before, subscriptionId);
    const taken =
      externalId === null
        ? undefined
        : await this.externalIds.takeForChange(context, externalId, subscriptionId);
    try {
      const change = new ChangeSubscription(context, { ...command, formerExternalId: former });
      return (await this.commands.execute(change)).state;
    } finally {
      // The subscription has only one of them: the new one, or the former one if the change was refused.
      const present = await this.subscriptions.require(context.workspaceId, subscriptionId);
      if (former && present.externalId !== before)
        await this.externalIds.release(context, subscriptionId, former);
      if (taken && present.externalId !== externalId)
        await this.externalIds.release(context, subscriptionId, taken);
    }
  }
}
