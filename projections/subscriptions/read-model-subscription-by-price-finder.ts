import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { SubscriptionByPriceFinder } from '#libs/contexts/credits';

/** Finds subscriptions that have not ended, by their prices. */
@Injectable()
export class ReadModelSubscriptionByPriceFinder extends SubscriptionByPriceFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async findSubscriptionWithPrice(
    workspaceId: string,
    priceIds: readonly string[],
  ): Promise<{ subscriptionId: string; priceId: string } | undefined> {
    for (const priceId of priceIds) {
      const { rows } = await this.pool.query<{ id: string }>(
        `SELECT id FROM read.subscriptions WHERE workspace_id = $1 AND price_ids @> $2::jsonb AND live
         ORDER BY created_position LIMIT 1`,
        [workspaceId, JSON.stringify([priceId])],
      );
      if (rows[0]) return { subscriptionId: rows[0].id, priceId };
    }
    return undefined;
  }
}
