import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { pgClientOf } from '../pg-client-of.js';
import { Invitation } from '../entities/invitation.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { endLinks } from '../links/link-tokens.js';
import { invitationDecider } from './invitation.js';

/**
 * Revokes a pending or expired invitation. The links of the invitation become invalid at once. Throws NotFound if the workspace has no
 * invitation with this id, or if the invitation was accepted or revoked.
 */
export class RevokeInvitation extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly invitationId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeInvitation)
export class RevokeInvitationHandler implements ICommandHandler<RevokeInvitation> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, invitationId }: RevokeInvitation): Promise<void> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, invitationId);
    await this.dataSource.transaction(async (manager) => {
      const pending = { id: invitationId, workspaceId, status: 'pending' } as const;
      const { affected } = await manager.update(Invitation, pending, { status: 'revoked' });
      if (affected !== 1) throw NotFound.of('invitation', invitationId);
      await endLinks(await pgClientOf(manager), invitationId);
      await this.outbox.add(manager, invitationDecider, aggregate, context, {
        type: 'RevokeInvitation',
        invitationId,
      });
    });
    await this.outbox.deliver([aggregate]);
  }
}
