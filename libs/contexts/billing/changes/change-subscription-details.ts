import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  ExternalIds,
  subscriptionDecider,
  Subscriptions,
  type DetailsChange,
  type ExternalIdClaim,
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
    const claims = new Map<string, ExternalIdClaim>();
    if (before !== null) claims.set(before, await this.externalIds.claimOf(context, before, subscriptionId));
    if (externalId !== null)
      claims.set(externalId, await this.externalIds.takeForChange(context, externalId, subscriptionId));
    try {
      return (await this.commands.execute(new ChangeSubscription(context, command))).state;
    } finally {
      await this.releaseUnused(context, subscriptionId, claims);
    }
  }

  /** Releases the external ids that the subscription does not have: the former one, or the one that a refused change has taken. */
  private async releaseUnused(
    context: CommandContext,
    subscriptionId: string,
    claims: ReadonlyMap<string, ExternalIdClaim>,
  ): Promise<void> {
    const { externalId: present } = await this.subscriptions.require(context.workspaceId, subscriptionId);
    for (const [externalId, claim] of claims)
      if (externalId !== present && claim.subscriptionId === subscriptionId)
        await this.externalIds.release(context, externalId, claim);
  }
}
