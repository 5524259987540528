import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import { canonicalEmail, addSeconds, Conflict } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import type { Role } from '#libs/manifest';
import { Invitation } from '../entities/invitation.entity.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { requireBelowInvitationLimit, requireBelowInvitationMailLimit } from './invitation-limits.js';
import { invitationDecider } from './invitation.js';

/** The number of seconds for which an invitation can be accepted after it was sent: 7 days. */
export const INVITATION_SECONDS = 7 * 86_400;

/**
 * Invites somebody by e-mail to become a user of the workspace. Throws Conflict (`already_member`, `already_invited`) if the address
 * belongs to a user, or to a pending or expired invitation, of this workspace. Throws StateConflict (`invitation_limit_reached`) if the
 * workspace has invited too many people, or this address too often. The response does not reveal whether the e-mail address belongs to a
 * user of another workspace.
 */
export class InviteUser extends Command<Invitation> {
  constructor(
    readonly context: CommandContext,
    readonly inviterId: string,
    readonly email: string,
    readonly role: Role,
  ) {
    super();
  }
}

@CommandHandler(InviteUser)
export class InviteUserHandler implements ICommandHandler<InviteUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, inviterId, email, role }: InviteUser): Promise<Invitation> {
    const { workspaceId } = context;
    const now = systemClock.now();
    const invitation: Invitation = {
      id: idFor(context, 'ivt'),
      workspaceId,
      email: canonicalEmail(email),
      role,
      status: 'pending',
      invitedBy: inviterId,
      createdAt: now,
      sentAt: now,
      expiresAt: addSeconds(now, INVITATION_SECONDS),
      userId: null,
    };
    const aggregate = aggregateId(workspaceId, invitation.id);
    const stored = await this.dataSource.transaction(async (manager) => {
      const earlier = await manager.findOneBy(Invitation, { id: invitation.id });
      if (earlier) return earlier;
      await requireInvitable(manager, invitation);
      await insertInvitation(manager, invitation);
      await this.outbox.add(manager, invitationDecider, aggregate, context, {
        type: 'InviteUser',
        invitationId: invitation.id,
        email: invitation.email,
        role,
        at: context.now,
      });
      return invitation;
    });
    await this.outbox.deliver([aggregate]);
    return stored;
  }
}

async function requireInvitable(manager: EntityManager, { workspaceId, email }: Invitation): Promise<void> {
  if (await manager.existsBy(User, { workspaceId, email }))
    throw new Conflict('already_member', 'A user of this workspace has this e-mail address', [
      { field: 'email', message: 'belongs to a user of this workspace' },
    ]);
  await requireBelowInvitationLimit(manager, workspaceId);
  await requireBelowInvitationMailLimit(manager, { workspaceId, email });
}

async function insertInvitation(manager: EntityManager, invitation: Invitation): Promise<void> {
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(Invitation)
    .values(invitation)
    .orIgnore()
    .returning('id')
    .execute();
  if ((inserted.raw as unknown[]).length > 0) return;
  throw new Conflict(
    'already_invited',
    'This address has an invitation that is pending or expired; resend or revoke it',
    [{ field: 'email', message: 'has an invitation that is pending or expired' }],
  );
}
