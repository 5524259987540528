import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CustomerSubscriptionFinder } from '#libs/contexts/billing';

/** Finds the subscriptions of a customer that one invoice can bill together. */
@Injectable()
export class ReadModelCustomerSubscriptionFinder extends CustomerSubscriptionFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async oldestLiveSubscriptionIds(
    workspaceId: string,
    customerId: string,
    limit: number,
  ): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id FROM read.subscriptions WHERE workspace_id = $1 AND customer_id = $2 AND live
       ORDER BY created_position LIMIT $3`,
      [workspaceId, customerId, limit],
    );
    return rows.map(({ id }) => id);
  }
}
