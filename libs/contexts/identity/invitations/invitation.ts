import { defineDecider, requireCreated } from '#libs/kernel/domain';
import type { InvitationStatus } from '../entities/invitation.entity.js';
import { invitationEvents, type InvitationEvent } from './events.js';

/** The data of a new invitation. */
export type InvitationDetails = Extract<InvitationEvent, { type: 'UserInvited' }>['data'];

/** The recorded data of an invitation. The link of an invitation is not recorded in events, because it is a credential. */
export interface InvitationRecord extends InvitationDetails {
  status: InvitationStatus;
  /** The id of the user who accepted the invitation. Absent until somebody accepts it. */
  userId?: string;
}

export type InvitationCommand =
  | ({ type: 'InviteUser' } & InvitationDetails)
  | { type: 'ResendInvitation'; invitationId: string }
  | { type: 'RevokeInvitation'; invitationId: string }
  | { type: 'AcceptInvitation'; invitationId: string; userId: string };

export const invitationDecider = defineDecider<InvitationRecord, InvitationCommand, InvitationEvent>({
  category: 'invitation',
  events: invitationEvents,
  decide(command, invitation) {
    const { invitationId } = command;
    if (command.type === 'InviteUser') {
      const { type: _, ...details } = command;
      return invitation ? [] : [{ type: 'UserInvited', data: details }];
    }
    if (invitation?.status !== 'pending') return [];
    switch (command.type) {
      case 'ResendInvitation':
        return [{ type: 'UserInvitationResent', data: { invitationId } }];
      case 'RevokeInvitation':
        return [{ type: 'UserInvitationRevoked', data: { invitationId } }];
      case 'AcceptInvitation':
        return [{ type: 'UserInvitationAccepted', data: { invitationId, userId: command.userId } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'UserInvited':
        return { ...event.data, status: 'pending' };
      case 'UserInvitationResent':
        return requireCreated(state, event);
      case 'UserInvitationRevoked':
        return { ...requireCreated(state, event), status: 'revoked' };
      case 'UserInvitationAccepted':
        return { ...requireCreated(state, event), status: 'accepted', userId: event.data.userId };
    }
  },
});
