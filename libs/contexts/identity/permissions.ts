import type { Permissions } from '#libs/manifest';

/** The roles that can read and change each resource. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  api_keys: { read: ['admin', 'finance', 'developer'], write: ['admin'] },
  portal_sessions: {
    read: ['admin', 'finance', 'developer', 'viewer'],
    write: ['admin', 'finance', 'developer'],
  },
  sandbox: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'developer'] },
  sso_connections: { read: ['admin'], write: ['admin'] },
  users: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin'] },
  workspace: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin'] },
};
