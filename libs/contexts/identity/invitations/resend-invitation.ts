import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { addSeconds, Conflict, NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { Invitation } from '../entities/invitation.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { requireBelowInvitationMailLimit } from './invitation-limits.js';
import { invitationDecider } from './invitation.js';
import { INVITATION_SECONDS } from './invite-user.js';

/** The shortest time between two mails of an invitation, in seconds. */
const RESEND_SECONDS = 60;

/**
 * Sends a pending or expired invitation again. After the new mail, the invitation can be accepted for another 7 days. An earlier link works
 * for 7 days from its own mail. Throws NotFound if the workspace does not have the invitation. Throws Conflict (`invitation_ended`) if the
 * invitation was accepted or revoked. Throws Conflict (`invitation_just_sent`) if the last mail was sent less than a minute ago. Throws
 * StateConflict (`invitation_limit_reached`) if the e-mail address got too many mails within a day.
 */
export class ResendInvitation extends Command<Invitation> {
  constructor(
    readonly context: CommandContext,
    readonly invitationId: string,
  ) {
    super();
  }
}

@CommandHandler(ResendInvitation)
export class ResendInvitationHandler implements ICommandHandler<ResendInvitation> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, invitationId }: ResendInvitation): Promise<Invitation> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, invitationId);
    const resent = await this.dataSource.transaction(async (manager) => {
      const invitation = await manager.findOne(Invitation, {
        where: { workspaceId, id: invitationId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!invitation) throw NotFound.of('invitation', invitationId);
      if (invitation.status !== 'pending')
        throw new Conflict('invitation_ended', `The invitation was ${invitation.status}; invite again`);
      const now = systemClock.now();
      if (addSeconds(invitation.sentAt, RESEND_SECONDS) > now)
        throw new Conflict(
          'invitation_just_sent',
          `The invitation was sent less than ${RESEND_SECONDS} seconds ago; wait a moment`,
        );
      await requireBelowInvitationMailLimit(manager, invitation);
      const change = { sentAt: now, expiresAt: addSeconds(now, INVITATION_SECONDS) };
      await manager.update(Invitation, { id: invitationId }, change);
      await this.outbox.add(manager, invitationDecider, aggregate, context, {
        type: 'ResendInvitation',
        invitationId,
      });
      return { ...invitation, ...change };
    });
    await this.outbox.deliver([aggregate]);
    return resent;
  }
}
