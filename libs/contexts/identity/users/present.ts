import { systemClock } from '#libs/kernel/system';
import type { Invitation } from '../entities/invitation.entity.js';
import type { Session } from '../entities/session.entity.js';

/** Converts an invitation to its form in the API. */
export function presentInvitation(invitation: Invitation) {
  const { id, email, role, invitedBy, createdAt, sentAt, expiresAt, userId } = invitation;
  const isExpired = invitation.status === 'pending' && expiresAt <= systemClock.now();
  const status = isExpired ? ('expired' as const) : invitation.status;
  return { id, email, role, status, invitedBy, createdAt, sentAt, expiresAt, userId };
}

/** Converts a session to its form in the API. */
export function presentSession({ id, createdAt, expiresAt }: Session, currentId: string | undefined) {
  return { id, createdAt, expiresAt, current: id === currentId };
}
