import type { Permissions } from '#libs/manifest';

/** The roles that may read and change each kind of resource of the catalog. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  catalog: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'developer'] },
};
