import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { PlanSubscribers, type MigrationScope, type PlanSubscriber } from '#libs/price-migrations';

const COVERED = `FROM read.subscriptions
  WHERE account_id = $1 AND plan_id = $2 AND live AND ($3::text[] IS NULL OR customer_id = ANY($3))`;

/** Finds who is on a plan for migrations to move. */
@Injectable()
export class SubscriptionPlanSubscribers extends PlanSubscribers {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async page(
    { accountId, planId, customerIds }: MigrationScope,
    after: string | null,
    limit: number,
  ): Promise<PlanSubscriber[]> {
    const { rows } = await this.pool.query<PlanSubscriber>(
      `SELECT id AS "subscriptionId", customer_id AS "customerId" ${COVERED} AND id > $4 ORDER BY id LIMIT $5`,
      [accountId, planId, customerIds, after ?? '', limit],
    );
    return rows;
  }

  override async count({ accountId, planId, customerIds }: MigrationScope): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(`SELECT count(*)::int AS count ${COVERED}`, [
      accountId,
      planId,
      customerIds,
    ]);
    return rows[0]!.count;
  }
}
