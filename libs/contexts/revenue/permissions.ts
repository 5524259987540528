import type { Permissions } from '#libs/manifest';

/** The roles that can read revenue and close months. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  revenue: { read: ['admin', 'finance', 'developer'], write: ['admin', 'finance'] },
};
