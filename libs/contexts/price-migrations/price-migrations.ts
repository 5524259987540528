import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { planMigrationsDecider, type PlanMigrationsCommand } from './plan-migrations.js';
import { priceMigrationDecider, requireMigration, type PriceMigration } from './price-migration.js';

/**
 * Reads price migrations for commands, from their streams and never from a read model. The class also writes the references to migrations
 * on the streams of plans.
 */
@Injectable()
export class PriceMigrations {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the migration. Throws NotFound if the migration is not in the workspace. */
  async require(workspaceId: string, migrationId: string): Promise<PriceMigration> {
    const id = aggregateId(workspaceId, migrationId);
    return requireMigration(migrationId, await this.aggregates.load(priceMigrationDecider, id));
  }

  /** Writes a reference to a migration to the stream of the migration's old plan, or removes the reference. */
  async changeReferences(context: CommandContext, command: PlanMigrationsCommand): Promise<void> {
    const id = aggregateId(context.workspaceId, command.planId);
    const following = followUpContext(context, `${command.type} ${command.planId}`);
    await this.aggregates.execute(planMigrationsDecider, id, following, command);
  }
}
