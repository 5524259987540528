import { MoreThan, type EntityManager } from 'typeorm';
import { addSeconds, StateConflict } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { Invitation } from '../entities/invitation.entity.js';

/*
 * Anybody can register a workspace and invite any address, with texts of their own in the mail. These limits keep workspaces from sending
 * unwanted mail.
 */

const DAY_SECONDS = 86_400;
/**
 * The maximum number of a workspace's invitations. Pending and expired invitations count, and also revoked ones that were created within
 * the last day.
 */
const MAX_INVITATIONS = 100;
/** The maximum number of mails with invitations that a workspace sends to one address within a day. */
const MAX_MAILS = 5;

/** Throws StateConflict (`invitation_limit_reached`) if the workspace has invited too many people. */
export async function requireBelowInvitationLimit(
  manager: EntityManager,
  workspaceId: string,
): Promise<void> {
  const open = await manager.countBy(Invitation, [
    { workspaceId, status: 'pending' },
    { workspaceId, status: 'revoked', createdAt: MoreThan(aDayAgo()) },
  ]);
  if (open >= MAX_INVITATIONS)
    throw new StateConflict(
      'invitation_limit_reached',
      `A workspace has at most ${MAX_INVITATIONS} invitations that are pending, or that were made and revoked within a day; ` +
        'revoke older ones that are not needed, or wait',
    );
}

/** Throws StateConflict (`invitation_limit_reached`) if the workspace sent too many mails with invitations to the e-mail address. */
export async function requireBelowInvitationMailLimit(
  manager: EntityManager,
  { workspaceId, email }: Pick<Invitation, 'workspaceId' | 'email'>,
): Promise<void> {
  // Each mail has a link of its own.
  const [mails] = await manager.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM identity.invitations i
     JOIN identity.link_tokens t ON t.subject = i.id AND t.purpose = 'invitation' AND t.created_at > $3
     WHERE i.workspace_id = $1 AND i.email = $2`,
    [workspaceId, email, aDayAgo()],
  );
  if (mails!.count >= MAX_MAILS)
    throw new StateConflict(
      'invitation_limit_reached',
      `This address got ${MAX_MAILS} mails with invitations of the workspace within a day; wait a day`,
    );
}

function aDayAgo(): string {
  return addSeconds(systemClock.now(), -DAY_SECONDS);
}
