import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { PriceMigration } from '../price-migration.js';
import { PriceMigrations } from '../price-migrations.js';

/** Cancels a price migration: who has been moved by then stays there. InvalidRequest if it is over. */
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
  constructor(private readonly migrations: PriceMigrations) {}

  execute({ context, migrationId }: CancelPriceMigration): Promise<PriceMigration> {
    return this.migrations.execute(context, { type: 'CancelPriceMigration', migrationId });
  }
}
