import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { addSeconds, NotFound, type ListPart } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { ApiKey } from './entities/api-key.entity.js';
import { PortalSession } from './entities/portal-session.entity.js';
import { User } from './entities/user.entity.js';
import { oldestFirstOrder, pageOldestFirst } from './oldest-first.js';
import { PORTAL_SESSION_SECONDS } from './portal-session.js';

/**
 * Reads the current state of users, API keys and portal sessions. The tables of users, API keys and portal sessions are the source of
 * truth, so no read model exists for them.
 */
@Injectable()
export class IdentityQueries {
  readonly apiKeyOrder = oldestFirstOrder<ApiKey>('api_keys');
  readonly portalSessionOrder = oldestFirstOrder<PortalSession>('portal_sessions');

  constructor(private readonly dataSource: DataSource) {}

  /** Returns a user of the workspace. Throws NotFound if the workspace does not have the user. */
  async getUser(workspaceId: string, id: string): Promise<User> {
    const user = await this.dataSource.manager.findOneBy(User, { workspaceId, id });
    if (!user) throw NotFound.of('user', id);
    return user;
  }

  /** A page of the workspace's API keys, oldest first, without revoked keys. */
  async listApiKeys(workspaceId: string, part: ListPart): Promise<ApiKey[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.workspaceId = :workspaceId AND key.revokedAt IS NULL', { workspaceId });
    return pageOldestFirst(query, part);
  }

  /**
   * A page of the workspace's portal sessions, oldest first. Expired sessions, revoked sessions, and sessions of customers who are being
   * erased are left out. If `customerId` is given, only the sessions of that customer are returned.
   */
  async listPortalSessions(
    workspaceId: string,
    part: ListPart,
    customerId?: string,
  ): Promise<PortalSession[]> {
    const now = systemClock.now();
    const query = this.dataSource.manager
      .createQueryBuilder(PortalSession, 'session')
      .where('session.workspaceId = :workspaceId', { workspaceId })
      // Older sessions have expired. The condition leaves their rows out of the search.
      .andWhere('session.createdAt > :first', { first: addSeconds(now, -PORTAL_SESSION_SECONDS.max - 1) })
      .andWhere('session.expiresAt > :now AND session.revokedAt IS NULL', { now })
      .andWhere(
        `NOT EXISTS (SELECT FROM identity.closed_portals c
          WHERE c.workspace_id = session.workspace_id AND c.customer_id = session.customer_id)`,
      );
    if (customerId !== undefined) query.andWhere('session.customerId = :customerId', { customerId });
    return pageOldestFirst(query, part);
  }
}
