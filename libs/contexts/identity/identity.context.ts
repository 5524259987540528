import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { workspaceDecider } from './workspace.js';
import { userDecider } from './user.js';
import { sessionDecider } from './session.js';
import { apiKeyDecider } from './api-key.js';
import { portalSessionDecider } from './portal-session.js';
import { auditRules } from './audit-rules.js';
import { permissions } from './permissions.js';
import { Identity1700000000600 } from './migrations/1700000000600-identity.js';
import { ApiKeyLimits1700000006300 } from './migrations/1700000006300-api-key-limits.js';
import { RegistrationKeys1700000004051 } from './migrations/1700000004051-registration-keys.js';
import { PortalSessions1700000006200 } from './migrations/1700000006200-portal-sessions.js';
import { prunePortalSessions } from './portal-sessions/portal-sessions.js';

/** The days for which an expired portal session is kept. It is longer than a request with an `Idempotency-Key` is repeated after a crash. */
const PORTAL_SESSION_DAYS = 7;

export default defineContext({
  deciders: [workspaceDecider, userDecider, sessionDecider, apiKeyDecider, portalSessionDecider],
  auditRules,
  postings: NONE,
  permissions,
  idPrefixes: ['acc', 'usr', 'ses', 'key', 'pses'],
  tables: {
    migrations: [
      Identity1700000000600,
      RegistrationKeys1700000004051,
      PortalSessions1700000006200,
      ApiKeyLimits1700000006300,
    ],
    rights: { app: { identity: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [],
    processManagers: [],
    workers: [],
    retentions: [
      { table: 'identity.portal_sessions', days: () => PORTAL_SESSION_DAYS, prune: prunePortalSessions },
    ],
  },
  answers: [],
});
