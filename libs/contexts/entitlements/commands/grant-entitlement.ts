import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { entitlementGrantDecider, type EntitlementGrant } from '../entitlement-grant.js';
import type { EntitlementGrantDetails } from '../events.js';

/**
 * Gives a customer a feature that its plans do not include, or a higher limit of a feature. Throws NotFound for a customer that is not in
 * the workspace.
 */
export class GrantEntitlement extends Command<EntitlementGrant> {
  constructor(
    readonly context: CommandContext,
    readonly details: EntitlementGrantDetails,
  ) {
    super();
  }
}

@CommandHandler(GrantEntitlement)
export class GrantEntitlementHandler implements ICommandHandler<GrantEntitlement> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
  ) {}

  async execute({ context, details }: GrantEntitlement): Promise<EntitlementGrant> {
    const grantId = idFor(context, 'entgrant');
    const id = aggregateId(context.workspaceId, grantId);
    const repeated = await this.aggregates.findRepeated(entitlementGrantDecider, id, context);
    if (repeated) return repeated;
    await this.customers.require(context.workspaceId, details.customerId);
    const command = { type: 'GrantEntitlement', at: context.now, grantId, details } as const;
    return (await this.aggregates.execute(entitlementGrantDecider, id, context, command)).state;
  }
}
