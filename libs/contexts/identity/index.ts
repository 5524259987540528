export { apiKeyDecider, type ApiKeyRecord } from './api-key.js';
export { Authenticator } from './authenticator.js';
export type { NewApiKey } from './api-keys/new-api-key.js';
export { CreateApiKey } from './commands/create-api-key.js';
export { CreateLiveWorkspace, liveWorkspaceIdOf } from './commands/create-live-workspace.js';
export { RefreshSession } from './commands/refresh-session.js';
export { RegisterUser, type UserRegistrationResult } from './commands/register-user.js';
export { RevokeApiKey } from './commands/revoke-api-key.js';
export { RotateApiKey } from './commands/rotate-api-key.js';
export { CreatePortalSession, type NewPortalSession } from './commands/create-portal-session.js';
export { RevokePortalSessions } from './commands/revoke-portal-sessions.js';
export {
  ChangeSsoConnection,
  CreateSsoConnection,
  DeleteSsoConnection,
} from './commands/change-sso-connection.js';
export { CompleteSso } from './commands/complete-sso.js';
export { StartSso, type SsoConnectionChoice } from './commands/start-sso.js';
export { VerifySsoDomain } from './commands/verify-sso-domain.js';
export { SsoConnections } from './sso/sso-connections.js';
export type { SsoConnectionTerms } from './events.js';
export { SignIn } from './commands/sign-in.js';
export { SignOut, type SessionToEnd } from './commands/sign-out.js';
export type { SignInResult } from './commands/sign-in-result.js';
export type {
  ApiKeyEvent,
  PortalSessionEvent,
  SessionEvent,
  SignInMethod,
  UserEvent,
  WorkspaceEvent,
} from './events.js';
export type { Invitation, InvitationStatus } from './entities/invitation.entity.js';
export type { UserStatus } from './entities/user.entity.js';
export { IdentityModule } from './identity.module.js';
export { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, Passwords } from './passwords/passwords.js';
export { portalSessionDecider, PORTAL_SESSION_SECONDS, type QuantityLimits } from './portal-session.js';
export { prunePortalSessions } from './portal-sessions/portal-session-authenticator.js';
export { presentApiKey, presentPortalSession, presentSsoConnection, presentUser } from './present.js';
export type { AccessLimits, Caller, PortalPrincipal, Principal } from './principal.js';
export { IdentityQueries } from './queries.js';
export type { RegistrationRequest } from './registration-keys.js';
export { sessionDecider, type SessionRecord } from './session.js';
export type { SessionTokens } from './sessions/access-tokens.js';
export { userDecider, type NewUserDetails, type UserRecord } from './user.js';
export { AcceptInvitation } from './invitations/accept-invitation.js';
export type { InvitationEvent } from './invitations/events.js';
export { invitationDecider } from './invitations/invitation.js';
export { InviteUser } from './invitations/invite-user.js';
export { ResendInvitation } from './invitations/resend-invitation.js';
export { RevokeInvitation } from './invitations/revoke-invitation.js';
export { InvitationFinder, type InvitationPageData } from './invitations/invitation-finder.js';
export { UserMailQueue, type LinkMail, type UserMail } from './links/user-mail-queue.js';
export { LinkQueries } from './links/link-queries.js';
export { RequestLink } from './links/request-link.js';
export { ResetPassword } from './links/reset-password.js';
export { SignInByLink } from './links/sign-in-by-link.js';
export { pruneLinkTokens } from './links/link-tokens.js';
export { RevokeSessions } from './sessions/revoke-sessions.js';
export { ChangeUser, type UserChanges } from './users/change-user.js';
export { presentInvitation, presentSession } from './users/present.js';
export { UserQueries } from './users/user-queries.js';
export { ProvedAddresses } from './users/proved-addresses.js';
export { ProvedAdmins } from './users/proved-admins.js';
export { ProvedAdminsModule } from './users/proved-admins.module.js';
export { ClosedPortals } from './portal-sessions/closed-portals.js';
export { ClosedPortalsModule } from './portal-sessions/closed-portals.module.js';
export { workspaceDecider, type Workspace } from './workspace.js';
export { WorkspaceNames } from './workspace-names.js';
export { WorkspaceNamesModule } from './workspace-names.module.js';
export { WorkspaceUserFinder, type WorkspaceUserContact } from './workspace-user-finder.js';
export { WorkspaceUserFinderModule } from './workspace-user-finder.module.js';
