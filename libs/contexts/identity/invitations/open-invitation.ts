import { MoreThan, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { Invitation } from '../entities/invitation.entity.js';
import type { CommandOutbox } from '../command-outbox.js';
import { endLinks } from '../links/link-tokens.js';
import { pgClientOf } from '../pg-client-of.js';
import { invitationDecider } from './invitation.js';

/** Finds an invitation that matches `where` and can be accepted now. Returns null if no such invitation exists. */
export async function findOpenInvitation(
  manager: EntityManager,
  where: FindOptionsWhere<Invitation>,
): Promise<Invitation | null> {
  return manager.findOneBy(Invitation, { ...where, ...open() });
}

/**
 * Accepts an invitation for a new user in the transaction of `manager`. The links of the invitation become invalid. Returns false if the
 * invitation cannot be accepted any more. If several callers accept the invitation at the same time, only one succeeds.
 */
export async function acceptOpenInvitation(
  manager: EntityManager,
  outbox: CommandOutbox,
  { id: invitationId, workspaceId }: Invitation,
  userId: string,
  context: CommandContext,
): Promise<boolean> {
  const accepted = { status: 'accepted', userId } as const;
  const { affected } = await manager.update(Invitation, { id: invitationId, ...open() }, accepted);
  if (affected !== 1) return false;
  await endLinks(await pgClientOf(manager), invitationId);
  const id = aggregateId(workspaceId, invitationId);
  const command = { type: 'AcceptInvitation', invitationId, userId } as const;
  await outbox.add(manager, invitationDecider, id, followUpContext(context, 'invitation'), command);
  return true;
}

function open() {
  return { status: 'pending', expiresAt: MoreThan(systemClock.now()) } as const;
}
