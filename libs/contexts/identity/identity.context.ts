import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { workspaceDecider } from './workspace.js';
import { userDecider } from './user.js';
import { sessionDecider } from './session.js';
import { apiKeyDecider } from './api-key.js';
import { auditRules } from './audit-rules.js';
import { permissions } from './permissions.js';
import { Identity1700000000600 } from './migrations/1700000000600-identity.js';
import { ApiKeyLimits1700000006300 } from './migrations/1700000006300-api-key-limits.js';
import { RegistrationKeys1700000004051 } from './migrations/1700000004051-registration-keys.js';

export default defineContext({
  deciders: [workspaceDecider, userDecider, sessionDecider, apiKeyDecider],
  auditRules,
  postings: NONE,
  permissions,
  idPrefixes: ['acc', 'usr', 'ses', 'key'],
  tables: {
    migrations: [Identity1700000000600, RegistrationKeys1700000004051, ApiKeyLimits1700000006300],
    rights: { app: { identity: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: NONE,
  answers: [],
});
