import type { Permissions } from '#libs/manifest';

/** The roles that can read and change billing resources. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  billing: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'finance'] },
};
