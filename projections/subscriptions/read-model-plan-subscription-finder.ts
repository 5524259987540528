import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import {
  PlanSubscriptionFinder,
  type MigrationScope,
  type PlanSubscription,
} from '#libs/contexts/price-migrations';

const COVERED = `FROM read.subscriptions
  WHERE workspace_id = $1 AND (plan_id = $2 AND live OR price_migration_ids @> jsonb_build_array($3::text))
  AND ($4::text[] IS NULL OR customer_id = ANY($4))`;

/** Finds the subscriptions of a plan that a price migration must move, and those that it already moved at a renewal. */
@Injectable()
export class ReadModelPlanSubscriptionFinder extends PlanSubscriptionFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async page(
    { workspaceId, migrationId, planId, customerIds }: MigrationScope,
    after: string | null,
    limit: number,
  ): Promise<PlanSubscription[]> {
    const { rows } = await this.pool.query<PlanSubscription>(
      `SELECT id AS "subscriptionId", customer_id AS "customerId" ${COVERED} AND id > $5 ORDER BY id LIMIT $6`,
      [workspaceId, planId, migrationId, customerIds, after ?? '', limit],
    );
    return rows;
  }

  override async count({ workspaceId, migrationId, planId, customerIds }: MigrationScope): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(`SELECT count(*)::int AS count ${COVERED}`, [
      workspaceId,
      planId,
      migrationId,
      customerIds,
    ]);
    return rows[0]!.count;
  }
}
