import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { InvitationEvent } from './events.js';
import { invitationDecider, type InvitationCommand } from './invitation.js';

const invitationId = 'ivt_1';
const at = '2026-01-01T00:00:00.000Z';
const details = { invitationId, email: 'ada@example.com', role: 'finance', at } as const;
const invited: InvitationEvent = { type: 'UserInvited', data: details };
const resent: InvitationEvent = { type: 'UserInvitationResent', data: { invitationId } };
const revoked: InvitationEvent = { type: 'UserInvitationRevoked', data: { invitationId } };
const accepted: InvitationEvent = { type: 'UserInvitationAccepted', data: { invitationId, userId: 'usr_2' } };
const invite: InvitationCommand = { type: 'InviteUser', ...details };
const resend: InvitationCommand = { type: 'ResendInvitation', invitationId };
const revoke: InvitationCommand = { type: 'RevokeInvitation', invitationId };
const accept: InvitationCommand = { type: 'AcceptInvitation', invitationId, userId: 'usr_2' };
const { given } = decide(invitationDecider);

describe('an invitation', () => {
  it('is made once', () => {
    given().when(invite).then(invited);
    given(invited).when(invite).then();
  });

  it('can be sent again, revoked, and accepted', () => {
    given(invited, resent).when(resend).then(resent);
    given(invited, resent).when(revoke).then(revoked);
    given(invited, resent).when(accept).then(accepted);
    expect(given(invited, resent, accepted).state()).toEqual({
      ...details,
      status: 'accepted',
      userId: 'usr_2',
    });
  });

  it('ends once', () => {
    for (const end of [accepted, revoked])
      for (const command of [resend, revoke, accept]) given(invited, end).when(command).then();
    given().when(accept).then();
  });
});
