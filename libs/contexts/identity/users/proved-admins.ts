import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';

/** Tells whether anybody has vouched for a workspace with a proved e-mail address, for other contexts. */
@Injectable()
export class ProvedAdmins {
  constructor(private readonly pool: Pool) {}

  /** Tells whether an active admin of the workspace has proved to read mail at the own address. Anybody can register with any address. */
  async hasAny(workspaceId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `SELECT 1 FROM identity.users
       WHERE workspace_id = $1 AND role = 'admin' AND status = 'active' AND address_proved_at IS NOT NULL LIMIT 1`,
      [workspaceId],
    );
    return rowCount === 1;
  }
}
