import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import { Conflict, NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { Role } from '#libs/manifest';
import { pgClientOf } from '../pg-client-of.js';
import { User, type UserStatus } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { endLinks } from '../links/link-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { userDecider, type UserCommand } from '../user.js';

/** The changes of a user. Absent fields of the user do not change. */
export interface UserChanges {
  readonly role?: Role | undefined;
  readonly status?: UserStatus | undefined;
}

/**
 * Changes the role or the status of a user, and returns the user. The deactivation of a user at once ends all sessions of the user, and all
 * links that were mailed to the user. Throws NotFound if the workspace does not have the user. Throws Conflict (`last_admin`) if the
 * workspace would have no active admin after the change.
 */
export class ChangeUser extends Command<User> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    readonly changes: UserChanges,
  ) {
    super();
  }
}

@CommandHandler(ChangeUser)
export class ChangeUserHandler implements ICommandHandler<ChangeUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: Sessions,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, userId, changes }: ChangeUser): Promise<User> {
    const { workspaceId } = context;
    const { user, changed } = await this.dataSource.transaction(async (manager) => {
      const admins = await lockAdmins(manager, workspaceId);
      const before = await manager.findOne(User, {
        where: { workspaceId, id: userId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!before) throw NotFound.of('user', userId);
      const after: User = {
        ...before,
        role: changes.role ?? before.role,
        status: changes.status ?? before.status,
      };
      if (admins.every(({ id }) => id === userId) && !isActiveAdmin(after))
        throw new Conflict(
          'last_admin',
          `${before.name} is the last active admin of the workspace; make another user an admin first`,
        );
      await manager.update(User, { id: userId }, { role: after.role, status: after.status });
      const id = aggregateId(workspaceId, userId);
      for (const command of commandsOf(before, after))
        await this.outbox.add(manager, userDecider, id, followUpContext(context, command.type), command);
      const isEnd = before.status === 'active' && after.status === 'deactivated';
      // A link that was mailed before must not work once the user is active again.
      if (isEnd) await endLinks(await pgClientOf(manager), userId);
      const ended = isEnd
        ? await this.sessions.endAllOfUser(manager, after, 'user_deactivated', context)
        : [];
      return { user: after, changed: [id, ...ended] };
    });
    await this.outbox.deliver(changed);
    return user;
  }
}

/**
 * Locks and returns the active admins of a workspace. The admins are always locked in the same order, so simultaneous changes of users run
 * one after the other. If two admins demote each other at once, the second request finds only one admin left and is refused.
 */
async function lockAdmins(manager: EntityManager, workspaceId: string): Promise<User[]> {
  return manager.find(User, {
    where: { workspaceId, role: 'admin', status: 'active' },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
}

function isActiveAdmin({ role, status }: User): boolean {
  return role === 'admin' && status === 'active';
}

function commandsOf(before: User, after: User): UserCommand[] {
  const { id: userId, role, status } = after;
  return [
    ...(before.role === role ? [] : [{ type: 'ChangeUserRole', userId, role } as const]),
    ...(before.status === status
      ? []
      : [{ type: status === 'active' ? 'ReactivateUser' : 'DeactivateUser', userId } as const]),
  ];
}
