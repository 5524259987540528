import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { workspaceDecider } from './workspace.js';
import { userDecider } from './user.js';
import { sessionDecider } from './session.js';
import { apiKeyDecider } from './api-key.js';
import { portalSessionDecider } from './portal-session.js';
import { invitationDecider } from './invitations/invitation.js';
import { pruneLinkTokens } from './links/link-tokens.js';
import { UserMailModule } from './links/user-mail.module.js';
import { UserMailProcess } from './links/user-mail.process.js';
import { Invitations1700000006510 } from './migrations/1700000006510-invitations.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { Identity1700000000600 } from './migrations/1700000000600-identity.js';
import { ApiKeyLimits1700000006300 } from './migrations/1700000006300-api-key-limits.js';
import { RegistrationKeys1700000004051 } from './migrations/1700000004051-registration-keys.js';
import { PortalSessions1700000006200 } from './migrations/1700000006200-portal-sessions.js';
import { Sso1700000006700 } from './migrations/1700000006700-sso.js';
import { EmailDomains1700000006910 } from './migrations/1700000006910-email-domains.js';
import { ClosedPortals1700000006920 } from './migrations/1700000006920-closed-portals.js';
import { PortalQuantities1700000007944 } from './migrations/1700000007944-portal-quantities.js';
import { ProvedAddresses1700000006950 } from './migrations/1700000006950-proved-addresses.js';
import { SessionMethods1700000006930 } from './migrations/1700000006930-session-methods.js';
import { ssoConnectionDecider } from './sso-connection.js';
import { pruneSsoSignIns } from './sso/sso-sign-ins.js';
import { prunePortalSessions } from './portal-sessions/portal-session-authenticator.js';
import { customerData } from './customer-data.js';

/**
 * The number of days for which an expired portal session is kept. While a portal session is kept, a repetition of the request that created
 * it finds the session. After this time, a repetition whose answer is no longer stored creates a session without an audit entry.
 */
const PORTAL_SESSION_DAYS = 7;

/**
 * The number of days for which an incomplete single sign-on is kept. One day is sufficient, because a single sign-on cannot be completed
 * after ten minutes.
 */
const SSO_SIGN_IN_DAYS = 1;

/** The number of days for which the token of a link is kept after its expiry, so that requests for links can be counted. */
const LINK_TOKEN_DAYS = 1;

export default defineContext({
  deciders: [
    workspaceDecider,
    userDecider,
    sessionDecider,
    invitationDecider,
    apiKeyDecider,
    portalSessionDecider,
    ssoConnectionDecider,
  ],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['acc', 'usr', 'ses', 'key', 'pses', 'sso', 'ivt'],
  tables: {
    migrations: [
      Identity1700000000600,
      RegistrationKeys1700000004051,
      PortalSessions1700000006200,
      ApiKeyLimits1700000006300,
      Invitations1700000006510,
      Sso1700000006700,
      EmailDomains1700000006910,
      ClosedPortals1700000006920,
      SessionMethods1700000006930,
      ProvedAddresses1700000006950,
      PortalQuantities1700000007944,
    ],
    rights: { app: { identity: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [UserMailModule],
    processManagers: [UserMailProcess],
    workers: [],
    retentions: [
      { table: 'identity.link_tokens', days: () => LINK_TOKEN_DAYS, prune: pruneLinkTokens },
      { table: 'identity.portal_sessions', days: () => PORTAL_SESSION_DAYS, prune: prunePortalSessions },
      { table: 'identity.sso_sign_ins', days: () => SSO_SIGN_IN_DAYS, prune: pruneSsoSignIns },
    ],
  },
  personalData: [],
  customerData,
  answers: [],
});
