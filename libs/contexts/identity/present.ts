import type { ApiKey } from './entities/api-key.entity.js';
import type { User } from './entities/user.entity.js';

/** A user as the API shows it. The contract calls the workspace an account. */
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

/** An API key as the API shows it: never the key itself. */
export function presentApiKey(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    role: apiKey.role,
    last4: apiKey.last4,
    createdAt: apiKey.createdAt,
    lastUsedAt: apiKey.lastUsedAt,
  };
}
