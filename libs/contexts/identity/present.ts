import type { ApiKey } from './entities/api-key.entity.js';
import type { PortalSession } from './entities/portal-session.entity.js';
import type { SsoConnection } from './entities/sso-connection.entity.js';
import type { User } from './entities/user.entity.js';
import { domainProofRecord } from './sso/domain-proof-checker.js';

/** Converts a user to its form in the API. The API calls a workspace an "account". */
export function presentUser(user: User) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    accountId: user.workspaceId,
    role: user.role,
    status: user.status,
  };
}

/** Converts an API key to its form in the API, without the key itself. */
export function presentApiKey(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    role: apiKey.role,
    permissions: apiKey.permissions,
    expiresAt: apiKey.expiresAt,
    replacedBy: apiKey.replacedBy,
    last4: apiKey.last4,
    createdAt: apiKey.createdAt,
    lastUsedAt: apiKey.lastUsedAt,
  };
}

/** Converts a portal session to its form in the API, without its token. */
export function presentPortalSession(session: PortalSession) {
  return {
    id: session.id,
    customerId: session.customerId,
    allowPlanChanges: session.allowPlanChanges,
    quantityLimits: session.quantityLimits,
    allowCreditPurchases: session.allowCreditPurchases,
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
  };
}

/** Converts a connection for single sign-on to its form in the API, without its client secret. */
export function presentSsoConnection(connection: SsoConnection) {
  const { id, name, issuer, clientId, redirectUris, defaultRole, createUsers, required, ...more } =
    connection;
  return {
    id,
    name,
    issuer,
    clientId,
    redirectUris,
    defaultRole,
    createUsers,
    required,
    domains: more.domains
      .toSorted((a, b) => (a.domain < b.domain ? -1 : 1))
      .map(({ domain, token, verifiedAt }) => ({
        domain,
        verifiedAt,
        record: { type: 'TXT', ...domainProofRecord(domain, token) },
      })),
    createdAt: more.createdAt,
    updatedAt: more.updatedAt,
  };
}
