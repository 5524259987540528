import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { PortalSession } from '../entities/portal-session.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { portalSessionDecider } from '../portal-session.js';

/**
 * Revokes one portal session, or all open portal sessions of a customer. The tokens of the revoked sessions are refused from now on. Throws
 * NotFound if the given session is not in the workspace or is already revoked.
 */
export class RevokePortalSessions extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly target: { readonly portalSessionId: string } | { readonly customerId: string },
  ) {
    super();
  }
}

@CommandHandler(RevokePortalSessions)
export class RevokePortalSessionsHandler implements ICommandHandler<RevokePortalSessions> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, target: which }: RevokePortalSessions): Promise<void> {
    const { workspaceId } = context;
    const now = systemClock.now();
    const aggregates = await this.dataSource.transaction(async (manager) => {
      const sessions = await manager.find(PortalSession, {
        where: {
          workspaceId,
          revokedAt: IsNull(),
          ...('portalSessionId' in which
            ? { id: which.portalSessionId }
            : { customerId: which.customerId, expiresAt: MoreThan(now) }),
        },
        order: { id: 'ASC' },
        lock: { mode: 'pessimistic_write' },
      });
      if ('portalSessionId' in which && sessions.length === 0)
        throw NotFound.of('portal session', which.portalSessionId);
      for (const { id: portalSessionId } of sessions) {
        await manager.update(PortalSession, { id: portalSessionId }, { revokedAt: now });
        await this.outbox.add(
          manager,
          portalSessionDecider,
          aggregateId(workspaceId, portalSessionId),
          followUpContext(context, `revoke ${portalSessionId}`),
          { type: 'RevokePortalSession', portalSessionId },
        );
      }
      return sessions.map(({ id }) => aggregateId(workspaceId, id));
    });
    if (aggregates.length > 0) await this.outbox.deliver(aggregates);
  }
}
