import { Injectable } from '@nestjs/common';
import { AggregateStore, follow, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { planMigrationsDecider, type PlanMigrationsCommand } from './plan-migrations.js';
import {
  priceMigrationDecider,
  requireMigration,
  type PriceMigration,
  type PriceMigrationCommand,
} from './price-migration.js';

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

/** Price migrations as commands see them: read from their streams, never from a read model. */
@Injectable()
export class PriceMigrations {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The migration; NotFound if it is not in the workspace. */
  async require(workspaceId: string, migrationId: string): Promise<PriceMigration> {
    const id = aggregateId(workspaceId, migrationId);
    return requireMigration(migrationId, await this.aggregates.load(priceMigrationDecider, id));
  }

  /** Runs one command of the decider, at the context's time; answers the state afterwards. */
  async execute(
    context: CommandContext,
    command: WithoutTime<PriceMigrationCommand>,
  ): Promise<PriceMigration> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, command.migrationId);
    return (await this.aggregates.execute(priceMigrationDecider, id, context, { ...command, at })).state;
  }

  /** Leaves a reference to a migration on the stream of the plan that it moves from, or drops it. */
  async refer(context: CommandContext, command: PlanMigrationsCommand): Promise<void> {
    const id = aggregateId(context.workspaceId, command.planId);
    const following = follow(context, `${command.type} ${command.planId}`);
    await this.aggregates.execute(planMigrationsDecider, id, following, command);
  }
}
