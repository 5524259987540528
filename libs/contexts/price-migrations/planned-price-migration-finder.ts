import { Injectable } from '@nestjs/common';
import { PlannedMigrationFinder } from '#libs/contexts/billing';
import { InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TermsChangeResolver, type PlannedMigration, type Subscription } from '#libs/contexts/subscriptions';
import { amendmentIdOfMove } from './move-ids.js';
import { initialState, planMigrationsDecider } from './plan-migrations.js';
import { isAtPeriodEnd, priceMigrationDecider, type PriceMigration } from './price-migration.js';

/**
 * Finds the price migrations that will move a subscription, for billing. The class reads the streams of plans and migrations. For a plan
 * without migrations, one read is enough, because the plan's stream of migrations does not exist.
 */
@Injectable()
export class PlannedPriceMigrationFinder extends PlannedMigrationFinder {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly changes: TermsChangeResolver,
  ) {
    super();
  }

  override async plannedMigrationsOf(
    workspaceId: string,
    subscription: Subscription,
    until?: Instant,
  ): Promise<PlannedMigration[]> {
    const id = aggregateId(workspaceId, subscription.planId);
    const { references } = (await this.aggregates.load(planMigrationsDecider, id)) ?? initialState;
    const inTime = references.filter(
      (one) => isAtPeriodEnd(one) || until === undefined || one.effectiveAt <= until,
    );
    const migrations = await Promise.all(
      inTime.map(({ migrationId }) =>
        this.aggregates.load(priceMigrationDecider, aggregateId(workspaceId, migrationId)),
      ),
    );
    const planned = migrations
      .filter((migration) => migration !== undefined)
      .filter((migration) => isToCome(migration) && covers(migration, subscription))
      .map((migration) => this.change(workspaceId, migration, subscription));
    return (await Promise.all(planned)).filter((change) => change !== null);
  }

  /**
   * Returns the planned move of the subscription to the new plan. Null if the subscription cannot be moved, because the new plan has been
   * deleted, or charges for a metric whose units cost credits. No error is needed, because the migration's batch reports it.
   */
  private async change(
    workspaceId: string,
    { migrationId, fromPlanId, toPlanId, effectiveAt, createdAt, priceMap }: PriceMigration,
    { subscriptionId }: Subscription,
  ): Promise<PlannedMigration | null> {
    try {
      const change = await this.changes.resolve(workspaceId, { planId: toPlanId, priceMap });
      const amendmentId = amendmentIdOfMove(workspaceId, migrationId, subscriptionId);
      const amendment = { amendmentId, kind: 'price_migration', change, prorate: true, migrationId } as const;
      return { fromPlanId, effectiveAt, plannedAt: createdAt, amendment };
    } catch (error) {
      if (error instanceof NotFound || error instanceof InvalidRequest) return null;
      throw error;
    }
  }
}

function isToCome({ status }: PriceMigration): boolean {
  return status === 'scheduled' || status === 'in_progress';
}

function covers({ customerIds }: PriceMigration, { customerId }: Subscription): boolean {
  return customerIds?.includes(customerId) ?? true;
}
