import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pMap from 'p-map';
import { Catalog } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import { Customers } from '#libs/contexts/customers';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { refuseLargePrices } from '#libs/contexts/subscriptions';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { MigrationDetails } from '../events.js';
import { priceMigrationDecider, requireNotPast, type PriceMigration } from '../price-migration.js';
import { PriceMigrations } from '../price-migrations.js';

/**
 * The maximum length of all customer ids together, as JSON. The event with the ids must fit into one append, and EventStoreDB accepts up to
 * 1 MiB.
 */
const MAX_ID_BYTES = 900_000;
/** The number of customers that are read at the same time. */
const AT_ONCE = 16;

/** Schedules a price migration, which moves subscriptions from one plan to another. */
export class SchedulePriceMigration extends Command<PriceMigration> {
  constructor(
    readonly context: CommandContext,
    readonly details: MigrationDetails,
  ) {
    super();
  }
}

@CommandHandler(SchedulePriceMigration)
export class SchedulePriceMigrationHandler implements ICommandHandler<SchedulePriceMigration> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly migrations: PriceMigrations,
    private readonly catalog: Catalog,
    private readonly customers: Customers,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Throws NotFound if one of the plans or customers is not in the workspace, or is deleted. Throws InvalidRequest if both plans are the
   * same, if their currencies differ, if the prices of the new plan are too large, or if the time is in the past.
   */
  async execute({ context, details }: SchedulePriceMigration): Promise<PriceMigration> {
    const migrationId = idFor(context, 'mig');
    const id = aggregateId(context.workspaceId, migrationId);
    const repeated = await this.aggregates.findRepeated(priceMigrationDecider, id, context);
    if (repeated) return repeated;
    await requireMigratablePlans(this.catalog, context.workspaceId, details);
    if (details.customerIds && JSON.stringify(details.customerIds).length > MAX_ID_BYTES)
      throw InvalidRequest.field(
        'customerIds',
        `must have at most ${MAX_ID_BYTES} characters in total; split them over several migrations`,
      );
    const known = (customerId: string) => this.customers.require(context.workspaceId, customerId);
    await pMap(details.customerIds ?? [], known, { concurrency: AT_ONCE });
    requireNotPast(details, context.now);
    await this.clock.markInUse(context.workspaceId);
    const { actor: scheduledBy, now: at } = context;
    const { fromPlanId: planId, effectiveAt } = details;
    const reference = { migrationId, effectiveAt };
    await this.migrations.changeReferences(context, { type: 'ReferencePriceMigration', planId, reference });
    const command = { type: 'SchedulePriceMigration', at, migrationId, details, scheduledBy } as const;
    return (await this.aggregates.execute(priceMigrationDecider, id, context, command)).state;
  }
}

/**
 * Refuses a migration if one of the plans does not exist, or if both are the same plan. Refuses plans with different currencies, and a new
 * plan whose prices are too large for a subscription. Refuses a `priceMap` that leads to a price that the new plan does not have.
 */
export async function requireMigratablePlans(
  catalog: Catalog,
  workspaceId: string,
  { fromPlanId, toPlanId, priceMap = {} }: Pick<MigrationDetails, 'fromPlanId' | 'toPlanId' | 'priceMap'>,
): Promise<void> {
  const [from, to] = await Promise.all([
    catalog.resolvePlan(workspaceId, fromPlanId),
    catalog.resolvePlan(workspaceId, toPlanId),
  ]);
  if (fromPlanId === toPlanId)
    throw InvalidRequest.field(
      'toPlanId',
      'must be another plan; to move to a newer version of the same plan, use POST /v1/subscriptions/:id/migrate',
    );
  if (from.currency !== to.currency)
    throw InvalidRequest.field(
      'toPlanId',
      `must be a plan in ${from.currency}, like the other plan; it is in ${to.currency}`,
    );
  refuseLargePrices('toPlanId', to.prices);
  const isOfPlan = (id: string | null) => id === null || to.prices.some(({ priceId }) => priceId === id);
  const foreign = Object.values(priceMap).find((id) => !isOfPlan(id));
  if (foreign !== undefined)
    throw InvalidRequest.field(
      'priceMap',
      `must lead to prices of the new plan, or to null; "${foreign}" is not one of them`,
    );
}
