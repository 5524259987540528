import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { DeclinedInvoiceFinder } from '#libs/contexts/collection';

/** Finds the open invoices of a customer whose last charge failed or needs a confirmation, if a retry was ever planned. */
@Injectable()
export class ReadModelDeclinedInvoiceFinder extends DeclinedInvoiceFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async findByCustomer(workspaceId: string, customerId: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id FROM read.invoices
       WHERE workspace_id = $1 AND customer_id = $2 AND status = 'open' AND state ? 'retries'
         AND state #>> '{attempts,-1,status}' IN ('failed', 'requires_action')
       ORDER BY created_position`,
      [workspaceId, customerId],
    );
    return rows.map(({ id }) => id);
  }
}
