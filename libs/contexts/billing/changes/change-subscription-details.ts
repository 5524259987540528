import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '#libs/kernel/core';
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
    if (externalId !== null) await this.externalIds.takeForChange(context, externalId, subscriptionId);
    try {
      const { state } = await this.commands.execute(new ChangeSubscription(context, command));
      if (before !== null && (state.externalId ?? null) !== before)
        await this.externalIds.release(context, before, subscriptionId);
      return state;
    } catch (error) {
      if (error instanceof AppError && externalId !== null)
        await this.giveUp(context, externalId, subscriptionId);
      throw error;
    }
  }

  /** Releases an external id that was taken for a refused change. Does nothing if the subscription has it by another request. */
  private async giveUp(context: CommandContext, externalId: string, subscriptionId: string): Promise<void> {
    const { externalId: present } = await this.subscriptions.require(context.workspaceId, subscriptionId);
    if (present !== externalId) await this.externalIds.release(context, externalId, subscriptionId);
  }
}
