import type { Permissions } from '#libs/manifest';

/** The roles that may read and change each resource. The endpoints name the permission that they require. */
export const permissions: Permissions = {
  dunning: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'finance'] },
};
