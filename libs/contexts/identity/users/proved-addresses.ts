import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { Actor } from '#libs/kernel/domain';
import { WorkspaceUserFinder } from '../workspace-user-finder.js';

/** Tells whether the person behind a credential has proved to read mail at the address. */
@Injectable()
export class ProvedAddresses {
  constructor(
    private readonly pool: Pool,
    private readonly people: WorkspaceUserFinder,
  ) {}

  /**
   * Tells whether the user who signed in, or who created the API key directly or by means of other keys, has proved the address. False if
   * this user is not known.
   */
  async isProved(workspaceId: string, actor: Pick<Actor, 'type' | 'id'>): Promise<boolean> {
    const userId = await this.people.userIdOfActor(workspaceId, actor);
    const { rowCount } = await this.pool.query(
      'SELECT 1 FROM identity.users WHERE id = $1 AND workspace_id = $2 AND address_proved_at IS NOT NULL',
      [userId, workspaceId],
    );
    return rowCount === 1;
  }
}
