import { Identity1700000000600 } from './migrations/1700000000600-identity.js';
import { RegistrationKeys1700000004051 } from './migrations/1700000004051-registration-keys.js';

export { apiKeyDecider, type ApiKeyRecord } from './api-key.js';
export { Authenticator } from './authenticator.js';
export { CreateApiKey, type NewApiKey } from './commands/create-api-key.js';
export { RefreshSession } from './commands/refresh-session.js';
export { RegisterUser, type Registered } from './commands/register-user.js';
export { RevokeApiKey } from './commands/revoke-api-key.js';
export { SignIn } from './commands/sign-in.js';
export { SignOut, type SessionToEnd } from './commands/sign-out.js';
export type { SignedIn } from './commands/signed-in.js';
export type { ApiKeyEvent, SessionEvent, SignInMethod, UserEvent, WorkspaceEvent } from './events.js';
export { IdentityModule } from './identity.module.js';
export { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './passwords/passwords.js';
export { presentApiKey, presentUser } from './present.js';
export type { Principal } from './principal.js';
export { IdentityQueries } from './queries.js';
export type { Registration } from './registration-keys.js';
export {
  can,
  isWithin,
  PERMISSIONS,
  RESOURCES,
  ROLES,
  type Permission,
  type Resource,
  type Role,
} from './roles.js';
export { sessionDecider, type SessionRecord } from './session.js';
export type { Tokens } from './sessions/access-tokens.js';
export { userDecider, type RegisteredUser } from './user.js';
export { workspaceDecider, type Workspace } from './workspace.js';
export const migrations = [Identity1700000000600, RegistrationKeys1700000004051];
