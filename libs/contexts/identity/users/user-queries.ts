import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, Not } from 'typeorm';
import { canonicalEmail, NotFound, type ListPart } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { Invitation } from '../entities/invitation.entity.js';
import { Session } from '../entities/session.entity.js';
import { User } from '../entities/user.entity.js';
import { oldestFirstOrder, pageOldestFirst } from '../oldest-first.js';

/**
 * Reads the users of workspaces, their invitations and sessions. The tables of users, invitations and sessions are the source of truth, so
 * no read model exists for them.
 */
@Injectable()
export class UserQueries {
  readonly userOrder = oldestFirstOrder<User>('users');
  readonly invitationOrder = oldestFirstOrder<Invitation>('invitations');
  readonly sessionOrder = oldestFirstOrder<Session>('sessions');

  constructor(private readonly dataSource: DataSource) {}

  /** A page of the workspace's users, oldest first. The page includes deactivated users. */
  async listUsers(workspaceId: string, part: ListPart): Promise<User[]> {
    return this.page(User, 'row.workspaceId = :workspaceId', { workspaceId }, part);
  }

  /** A page of the workspace's invitations, oldest first. The page includes accepted and revoked invitations. */
  async listInvitations(workspaceId: string, part: ListPart): Promise<Invitation[]> {
    return this.page(Invitation, 'row.workspaceId = :workspaceId', { workspaceId }, part);
  }

  /** Returns the invitation of an address that is pending or expired. Returns undefined if the address has none in the workspace. */
  async findPendingInvitation(workspaceId: string, email: string): Promise<Invitation | undefined> {
    const pending = { workspaceId, email: canonicalEmail(email), status: 'pending' } as const;
    return (await this.dataSource.manager.findOneBy(Invitation, pending)) ?? undefined;
  }

  /** The pending and expired invitations of the workspace, except that of one address. */
  async listPendingInvitations(workspaceId: string, { except }: { except: string }): Promise<Invitation[]> {
    const pending = { workspaceId, email: Not(canonicalEmail(except)), status: 'pending' } as const;
    return this.dataSource.manager.findBy(Invitation, pending);
  }

  /** A page of the user's open sessions, oldest first. */
  async listSessions(userId: string, part: ListPart): Promise<Session[]> {
    const where = 'row.userId = :userId AND row.endedAt IS NULL AND row.expiresAt > :now';
    return this.page(Session, where, { userId, now: systemClock.now() }, part);
  }

  /** Throws NotFound if the user has no open session with this id. */
  async requireSession(userId: string, id: string): Promise<void> {
    const open = { id, userId, endedAt: IsNull(), expiresAt: MoreThan(systemClock.now()) };
    if (!(await this.dataSource.manager.existsBy(Session, open))) throw NotFound.of('session', id);
  }

  private async page<Row extends User | Invitation | Session>(
    entity: new () => Row,
    where: string,
    parameters: object,
    part: ListPart,
  ): Promise<Row[]> {
    const query = this.dataSource.manager.createQueryBuilder<Row>(entity, 'row').where(where, parameters);
    return pageOldestFirst(query, part);
  }
}
