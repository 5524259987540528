import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { aggregateId, type Actor } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { hasPermission, ROLES, type Permission } from '#libs/manifest';
import { apiKeyDecider } from './api-key.js';

/**
 * The maximum number of keys in a chain in which each key created the next one. An API key that rotates itself every day reaches the
 * maximum chain length in three years. The user who created the first key of a longer chain is treated as unknown.
 */
const MAX_KEYS = 1_000;

/** A user of a workspace, with the name and the e-mail address for a mail. */
export interface WorkspaceUserContact {
  userId: string;
  name: string;
  email: string;
}

/** Finds users for other contexts: by the credential of a request, by a permission, or by id. */
@Injectable()
export class WorkspaceUserFinder {
  constructor(
    private readonly pool: Pool,
    private readonly streams: StreamReader,
  ) {}

  /**
   * Returns the id of the user who signed in with a credential or who created the API key, directly or by means of other keys. Returns null
   * if the user is not known, or is not a user of the workspace, active or not.
   */
  async userIdOfActor(workspaceId: string, actor: Pick<Actor, 'type' | 'id'>): Promise<string | null> {
    let { type, id } = actor;
    for (let keys = 0; type === 'api_key' && keys < MAX_KEYS; keys++) {
      const stream = `${apiKeyDecider.category}-${aggregateId(workspaceId, id)}`;
      const [created] = await this.streams.read(stream, { maxCount: 1 });
      if (!created) return null;
      ({ type, id } = created.metadata.actor);
    }
    // A user of a sandbox creates the first key of its live workspace, and can be another user there.
    return type === 'user' && (await this.userNameOf(workspaceId, id)) !== null ? id : null;
  }

  /** Returns the active users of the workspace whose role has the permission. */
  async activeUsersWithPermission(
    workspaceId: string,
    permission: Permission,
  ): Promise<WorkspaceUserContact[]> {
    const roles = ROLES.filter((role) => hasPermission(role, permission));
    const { rows } = await this.pool.query<WorkspaceUserContact>(
      `SELECT id AS "userId", name, email FROM identity.users
       WHERE workspace_id = $1 AND status = 'active' AND role = ANY($2)`,
      [workspaceId, roles],
    );
    return rows;
  }

  /** Returns the name of a user of the workspace, active or not. Returns null if the user is not known. */
  async userNameOf(workspaceId: string, userId: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ name: string }>(
      'SELECT name FROM identity.users WHERE workspace_id = $1 AND id = $2',
      [workspaceId, userId],
    );
    return rows[0]?.name ?? null;
  }
}
