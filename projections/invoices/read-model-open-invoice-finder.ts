import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { OpenInvoiceFinder } from '#libs/contexts/collection';

/** Finds the open invoices of a customer that have an amount due. */
@Injectable()
export class ReadModelOpenInvoiceFinder extends OpenInvoiceFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async findOpen(
    workspaceId: string,
    customerId: string,
    currency: string | null,
  ): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id FROM read.invoices
       WHERE workspace_id = $1 AND customer_id = $2 AND status = 'open' AND ($3::text IS NULL OR currency = $3) AND amount_due > 0
       ORDER BY state ->> 'dueDate', created_position`,
      [workspaceId, customerId, currency],
    );
    return rows.map(({ id }) => id);
  }
}
