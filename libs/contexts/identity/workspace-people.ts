import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { aggregateId, type Actor } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { hasPermission, ROLES, type Permission } from '#libs/manifest';
import { apiKeyDecider } from './api-key.js';

/** The maximum number of keys in a chain in which each key created the next one. The user behind a longer chain is treated as unknown. */
const MAX_KEYS = 20;

/** Finds out which users stand behind credentials, for other contexts. */
@Injectable()
export class WorkspacePeople {
  constructor(
    private readonly pool: Pool,
    private readonly streams: StreamReader,
  ) {}

  /**
   * Returns the id of the user behind a credential: the user who signed in, or who created the API key, directly or with other keys. Null
   * if there is no such user.
   */
  async userBehind(workspaceId: string, actor: Pick<Actor, 'type' | 'id'>): Promise<string | null> {
    let { type, id } = actor;
    for (let keys = 0; type === 'api_key' && keys < MAX_KEYS; keys++) {
      const stream = `${apiKeyDecider.category}-${aggregateId(workspaceId, id)}`;
      const [created] = await this.streams.read(stream, { maxCount: 1 });
      if (!created) return null;
      ({ type, id } = created.metadata.actor);
    }
    return type === 'user' ? id : null;
  }

  /** Returns the ids of the active users of the workspace whose role has the permission. */
  async activeUsersWith(workspaceId: string, permission: Permission): Promise<string[]> {
    const roles = ROLES.filter((role) => hasPermission(role, permission));
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id FROM identity.users WHERE workspace_id = $1 AND status = 'active' AND role = ANY($2)`,
      [workspaceId, roles],
    );
    return rows.map(({ id }) => id);
  }
}
