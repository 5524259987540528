import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { priceMigrationDecider, type PriceMigration } from '../price-migration.js';

/**
 * Cancels a price migration. Subscriptions that were already moved stay on the new plan. A migration can be canceled while it is scheduled
 * or waits for the end of subscriptions' periods. Otherwise InvalidRequest is thrown. Throws NotFound if the migration is not in the
 * workspace.
 */
export class CancelPriceMigration extends Command<PriceMigration> {
  constructor(
    readonly context: CommandContext,
    readonly migrationId: string,
  ) {
    super();
  }
}

@CommandHandler(CancelPriceMigration)
export class CancelPriceMigrationHandler implements ICommandHandler<CancelPriceMigration> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, migrationId }: CancelPriceMigration): Promise<PriceMigration> {
    const id = aggregateId(context.workspaceId, migrationId);
    const command = { type: 'CancelPriceMigration', at: context.now, migrationId } as const;
    return (await this.aggregates.execute(priceMigrationDecider, id, context, command)).state;
  }
}
