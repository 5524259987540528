import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { WorkspaceMode } from '#libs/kernel/workspaces';
import type { Permission, Role } from '#libs/manifest';
import type { UserChangeEvent } from './users/events.js';

/**
 * Why a session was ended. `revoked`: the user of the session ended it. `user_deactivated`: an admin deactivated the user.
 * `password_reset`: the user set a new password with a link from a mail. `sso_required`: the user had not signed in by single sign-on, and
 * single sign-on is required now.
 */
export type SessionRevocationReason = 'revoked' | 'user_deactivated' | 'password_reset' | 'sso_required';

/** The methods by which a user can prove their identity. */
export type SignInMethod = 'password' | 'sso' | 'invitation' | 'magic_link';

export type WorkspaceEvent = DomainEvent<
  'WorkspaceCreated',
  {
    workspaceId: string;
    /** The name of the company, which customers see. Null if the workspace was created without a name. */
    name: string | null;
    mode: WorkspaceMode;
    /** The sandbox that went live. Absent for a sandbox. */
    sandboxId?: string;
    at: Instant;
  }
>;

export type UserEvent =
  | DomainEvent<'UserRegistered', { userId: string; email: string; name: string; role: Role; at: Instant }>
  | UserChangeEvent;

export type SessionEvent =
  | DomainEvent<'UserSignedIn', { sessionId: string; userId: string; method: SignInMethod }>
  | DomainEvent<'UserSignedOut', { sessionId: string; userId: string }>
  | DomainEvent<'RefreshTokenReused', { sessionId: string; userId: string }>
  /** The session was ended for another reason than a sign-out or a reused refresh token. */
  | DomainEvent<'SessionRevoked', { sessionId: string; userId: string; reason: SessionRevocationReason }>;

export type ApiKeyEvent =
  | DomainEvent<
      'ApiKeyCreated',
      {
        apiKeyId: string;
        name: string;
        role: Role;
        /** The only permissions of the key, out of those of its role. Absent if the key has all permissions of its role. */
        permissions?: readonly Permission[];
        /** Absent if the key does not expire. */
        expiresAt?: Instant;
        at: Instant;
      }
    >
  /** The API key was replaced by another key. The old key expires at `expiresAt`. */
  | DomainEvent<'ApiKeyRotated', { apiKeyId: string; replacedBy: string; expiresAt: Instant }>
  | DomainEvent<'ApiKeyRevoked', { apiKeyId: string }>;

export type PortalSessionEvent =
  | DomainEvent<
      'PortalSessionCreated',
      {
        portalSessionId: string;
        customerId: string;
        allowPlanChanges: boolean;
        /** Absent if the customer cannot choose units, and in events that are older than this field. */
        quantityLimits?: { minimum: number; maximum: number };
        allowCreditPurchases: boolean;
        /** `at` and `expiresAt` are real times, by the machine's clock. The workspace's clock can differ in a sandbox. */
        expiresAt: Instant;
        at: Instant;
      }
    >
  | DomainEvent<'PortalSessionRevoked', { portalSessionId: string; customerId: string }>;

/** The settings of a connection for single sign-on, without its client secret. */
export interface SsoConnectionTerms {
  name: string;
  /** The issuer identifier of the provider, which is a URL. */
  issuer: string;
  /** The client id of Countinghouse at the provider. */
  clientId: string;
  /** The domains of e-mail addresses whose users sign in by the connection, once a domain is verified. */
  domains: readonly string[];
  /** The only URIs to which the provider may send users back. */
  redirectUris: readonly string[];
  /** The role of users who are created at their first sign-in. */
  defaultRole: Role;
  /** True if unknown users are created at their first sign-in. */
  createUsers: boolean;
  /** True if users of the workspace with an address in a verified domain must sign in by this connection. */
  required: boolean;
}

export type SsoConnectionEvent =
  | DomainEvent<'SsoConnectionCreated', { connectionId: string } & SsoConnectionTerms>
  | DomainEvent<
      'SsoConnectionChanged',
      { connectionId: string; secretReplaced: boolean } & SsoConnectionTerms
    >
  /** A DNS record proved that the domain belongs to the workspace. */
  | DomainEvent<'SsoDomainVerified', { connectionId: string; domain: string }>
  | DomainEvent<'SsoConnectionDeleted', { connectionId: string }>;

export const workspaceEvents: EventCatalog<WorkspaceEvent> = { WorkspaceCreated: v1 };

export const userEvents: EventCatalog<UserEvent> = {
  UserRegistered: { version: 1, personal: { subject: 'userId', fields: ['email', 'name'] } },
  UserRoleChanged: v1,
  UserDeactivated: v1,
  UserReactivated: v1,
  UserPasswordReset: v1,
  UserAddressReleased: v1,
};

export const sessionEvents: EventCatalog<SessionEvent> = {
  UserSignedIn: v1,
  UserSignedOut: v1,
  RefreshTokenReused: v1,
  SessionRevoked: v1,
};

export const apiKeyEvents: EventCatalog<ApiKeyEvent> = {
  ApiKeyCreated: v1,
  ApiKeyRotated: v1,
  ApiKeyRevoked: v1,
};

export const portalSessionEvents: EventCatalog<PortalSessionEvent> = {
  PortalSessionCreated: v1,
  PortalSessionRevoked: v1,
};

export const ssoConnectionEvents: EventCatalog<SsoConnectionEvent> = {
  SsoConnectionCreated: v1,
  SsoConnectionChanged: v1,
  SsoDomainVerified: v1,
  SsoConnectionDeleted: v1,
};
