import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { aggregateId, type Actor } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { hasPermission, ROLES, type Permission } from '#libs/manifest';
import { apiKeyDecider } from './api-key.js';

/**
 * The maximum number of keys in a chain in which each key created the next one. A key that rotates itself every day makes such a chain in
 * three years. The user behind a longer chain is treated as unknown.
 */
const MAX_KEYS = 1_000;

/** A user of a workspace, with what a mail to the user needs. */
export interface WorkspacePerson {
  userId: string;
  name: string;
  email: string;
}

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
  async userOfActor(workspaceId: string, actor: Pick<Actor, 'type' | 'id'>): Promise<string | null> {
    let { type, id } = actor;
    for (let keys = 0; type === 'api_key' && keys < MAX_KEYS; keys++) {
      const stream = `${apiKeyDecider.category}-${aggregateId(workspaceId, id)}`;
      const [created] = await this.streams.read(stream, { maxCount: 1 });
      if (!created) return null;
      ({ type, id } = created.metadata.actor);
    }
    return type === 'user' ? id : null;
  }

  /** Returns the active users of the workspace whose role has the permission. */
  async activeUsersWith(workspaceId: string, permission: Permission): Promise<WorkspacePerson[]> {
    const roles = ROLES.filter((role) => hasPermission(role, permission));
    const { rows } = await this.pool.query<WorkspacePerson>(
      `SELECT id AS "userId", name, email FROM identity.users
       WHERE workspace_id = $1 AND status = 'active' AND role = ANY($2)`,
      [workspaceId, roles],
    );
    return rows;
  }

  /** Returns the name of a user of the workspace, active or not. Null if there is no such user. */
  async nameOf(workspaceId: string, userId: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ name: string }>(
      'SELECT name FROM identity.users WHERE workspace_id = $1 AND id = $2',
      [workspaceId, userId],
    );
    return rows[0]?.name ?? null;
  }
}
