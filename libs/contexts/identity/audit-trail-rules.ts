import type {
  ApiKeyEvent,
  PortalSessionEvent,
  SessionEvent,
  SsoConnectionEvent,
  UserEvent,
  WorkspaceEvent,
} from './events.js';
import type { InvitationEvent } from './invitations/events.js';
import type { AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<
  | WorkspaceEvent
  | UserEvent
  | SessionEvent
  | ApiKeyEvent
  | PortalSessionEvent
  | SsoConnectionEvent
  | InvitationEvent
> = {
  WorkspaceCreated: { action: 'workspace.created', id: 'workspaceId', show: ['mode', 'sandboxId'] },
  UserRegistered: { action: 'user.registered', id: 'userId', show: ['role'] },
  UserRoleChanged: { action: 'user.role_changed', id: 'userId', show: ['role', 'previousRole'] },
  UserDeactivated: { action: 'user.deactivated', id: 'userId' },
  UserAddressReleased: { action: 'user.address_released', id: 'userId' },
  UserPasswordReset: { action: 'user.password_reset', id: 'userId' },
  UserReactivated: { action: 'user.reactivated', id: 'userId' },
  UserInvited: { action: 'invitation.created', id: 'invitationId', show: ['role'] },
  UserInvitationResent: { action: 'invitation.resent', id: 'invitationId' },
  UserInvitationRevoked: { action: 'invitation.revoked', id: 'invitationId' },
  UserInvitationAccepted: { action: 'invitation.accepted', id: 'invitationId', show: ['userId'] },
  UserSignedIn: { action: 'user.signed_in', id: 'userId', show: ['sessionId', 'method'] },
  UserSignedOut: { action: 'user.signed_out', id: 'userId', show: ['sessionId'] },
  RefreshTokenReused: { action: 'user.refresh_token_reused', id: 'userId', show: ['sessionId'] },
  SessionRevoked: { action: 'user.session_revoked', id: 'userId', show: ['sessionId', 'reason'] },
  ApiKeyCreated: {
    action: 'api_key.created',
    id: 'apiKeyId',
    show: ['name', 'role', 'permissions', 'expiresAt'],
  },
  ApiKeyRotated: { action: 'api_key.rotated', id: 'apiKeyId', show: ['replacedBy', 'expiresAt'] },
  ApiKeyRevoked: { action: 'api_key.revoked', id: 'apiKeyId' },
  PortalSessionCreated: {
    action: 'portal_session.created',
    id: 'portalSessionId',
    show: ['customerId', 'allowPlanChanges', 'quantityLimits', 'allowCreditPurchases', 'expiresAt'],
  },
  SsoConnectionCreated: {
    action: 'sso_connection.created',
    id: 'connectionId',
    show: ['name', 'issuer', 'clientId', 'domains', 'redirectUris', 'defaultRole', 'createUsers', 'required'],
  },
  SsoConnectionChanged: {
    action: 'sso_connection.updated',
    id: 'connectionId',
    show: [
      ...(['name', 'issuer', 'clientId', 'secretReplaced', 'domains', 'redirectUris'] as const),
      ...(['defaultRole', 'createUsers', 'required'] as const),
    ],
  },
  SsoDomainVerified: { action: 'sso_connection.domain_verified', id: 'connectionId', show: ['domain'] },
  SsoConnectionDeleted: { action: 'sso_connection.deleted', id: 'connectionId' },
  PortalSessionRevoked: {
    action: 'portal_session.revoked',
    id: 'portalSessionId',
    show: ['customerId'],
  },
};
