import type { Permissions } from '#libs/manifest';

/** The roles that may read and change each resource. Each API endpoint names the permission that it requires. */
export const permissions: Permissions = {
  webhooks: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'developer'] },
};
