import type { Permissions } from '#libs/manifest';

/** The roles that can read and change each resource. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  payment_gateway: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin'] },
};
