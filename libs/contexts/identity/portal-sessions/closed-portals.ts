import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';

/** Closes the portal for a customer whose personal data is to be erased. A closed portal is never opened again. */
@Injectable()
export class ClosedPortals {
  constructor(private readonly pool: Pool) {}

  /**
   * After the portal is closed, portal tokens of the customer are refused, and no new portal sessions are created. Does nothing if the
   * portal is already closed.
   */
  async close(workspaceId: string, customerId: string): Promise<void> {
    await this.pool.query('INSERT INTO identity.closed_portals VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      workspaceId,
      customerId,
    ]);
  }

  async isClosed(workspaceId: string, customerId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'SELECT 1 FROM identity.closed_portals WHERE workspace_id = $1 AND customer_id = $2',
      [workspaceId, customerId],
    );
    return rowCount === 1;
  }
}
