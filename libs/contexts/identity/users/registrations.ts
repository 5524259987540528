import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CommandOutbox } from '../command-outbox.js';
import type { User } from '../entities/user.entity.js';
import { pgClientOf } from '../pg-client-of.js';
import { userDecider } from '../user.js';
import { workspaceDecider } from '../workspace.js';
import { insertUser } from './insert-user.js';

/** Stores new sandboxes, each with its first user. */
@Injectable()
export class Registrations {
  constructor(
    private readonly clock: WorkspaceClock,
    private readonly outbox: CommandOutbox,
  ) {}

  /**
   * Stores the user and a new sandbox in the transaction of `manager`. Returns their aggregates, whose events the caller must deliver after
   * the commit. Returns undefined, and stores nothing, if another user has the e-mail address.
   */
  async store(
    manager: EntityManager,
    user: User,
    workspaceName: string | null,
    context: CommandContext,
  ): Promise<string[] | undefined> {
    const { id: userId, workspaceId, email, name, role, createdAt: at } = user;
    if (!(await insertUser(manager, user))) return undefined;
    await this.clock.create(workspaceId, 'sandbox', await pgClientOf(manager));
    await this.outbox.add(manager, workspaceDecider, workspaceId, context, {
      type: 'CreateWorkspace',
      workspaceId,
      name: workspaceName,
      mode: 'sandbox',
      at,
    });
    const ofUser = aggregateId(workspaceId, userId);
    await this.outbox.add(manager, userDecider, ofUser, followUpContext(context, 'user'), {
      type: 'RegisterUser',
      userId,
      email,
      name,
      role,
      at,
    });
    return [workspaceId, ofUser];
  }
}
