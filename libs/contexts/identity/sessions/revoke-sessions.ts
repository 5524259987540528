import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import type { CommandContext } from '#libs/kernel/event-store';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { UserQueries } from '../users/user-queries.js';
import { Sessions } from './sessions.js';

/**
 * Ends one session or all sessions of a user. Throws NotFound if the user has no open session with this id.
 *
 * @param sessionId the session to end; undefined for all
 */
export class RevokeSessions extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    readonly sessionId?: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeSessions)
export class RevokeSessionsHandler implements ICommandHandler<RevokeSessions> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UserQueries,
    private readonly sessions: Sessions,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, userId, sessionId }: RevokeSessions): Promise<void> {
    if (sessionId !== undefined) {
      await this.users.requireSession(userId, sessionId);
      return this.sessions.end(sessionId, 'revoked', context.correlationId);
    }
    const ended = await this.dataSource.transaction(async (manager) => {
      const user = await manager.findOneByOrFail(User, { id: userId, workspaceId: context.workspaceId });
      return this.sessions.endAllOfUser(manager, user, 'revoked', context);
    });
    await this.outbox.deliver(ended);
  }
}
