import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { entitlementGrantDecider, type EntitlementGrant } from '../entitlement-grant.js';

/** Removes a grant. Throws NotFound if the grant is not in the workspace, or was removed before. */
export class RemoveEntitlementGrant extends Command<EntitlementGrant> {
  constructor(
    readonly context: CommandContext,
    readonly grantId: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveEntitlementGrant)
export class RemoveEntitlementGrantHandler implements ICommandHandler<RemoveEntitlementGrant> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, grantId }: RemoveEntitlementGrant): Promise<EntitlementGrant> {
    const id = aggregateId(context.workspaceId, grantId);
    const command = { type: 'RemoveEntitlementGrant', at: context.now, grantId } as const;
    return (await this.aggregates.execute(entitlementGrantDecider, id, context, command)).state;
  }
}
