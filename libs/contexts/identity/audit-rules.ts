import type { ApiKeyEvent, PortalSessionEvent, SessionEvent, UserEvent, WorkspaceEvent } from './events.js';
import type { AuditRules } from '#libs/manifest';

export const auditRules: AuditRules<
  WorkspaceEvent | UserEvent | SessionEvent | ApiKeyEvent | PortalSessionEvent
> = {
  WorkspaceCreated: { action: 'workspace.created', id: 'workspaceId', show: ['mode'] },
  UserRegistered: { action: 'user.registered', id: 'userId', show: ['role'] },
  UserSignedIn: { action: 'user.signed_in', id: 'userId', show: ['sessionId', 'method'] },
  UserSignedOut: { action: 'user.signed_out', id: 'userId', show: ['sessionId'] },
  RefreshTokenReused: { action: 'user.refresh_token_reused', id: 'userId', show: ['sessionId'] },
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
    show: ['customerId', 'allowPlanChanges', 'allowCreditPurchases', 'expiresAt'],
  },
  PortalSessionRevoked: {
    action: 'portal_session.revoked',
    id: 'portalSessionId',
    show: ['customerId'],
  },
};
