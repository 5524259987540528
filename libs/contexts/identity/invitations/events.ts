import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { Role } from '#libs/manifest';

export type InvitationEvent =
  | DomainEvent<'UserInvited', { invitationId: string; email: string; role: Role; at: Instant }>
  | DomainEvent<'UserInvitationResent', { invitationId: string }>
  | DomainEvent<'UserInvitationRevoked', { invitationId: string }>
  | DomainEvent<'UserInvitationAccepted', { invitationId: string; userId: string }>;

export const invitationEvents: EventCatalog<InvitationEvent> = {
  UserInvited: { version: 1, personal: { subject: 'invitationId', fields: ['email'] } },
  UserInvitationResent: v1,
  UserInvitationRevoked: v1,
  UserInvitationAccepted: v1,
};
