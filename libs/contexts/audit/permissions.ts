import type { Permissions } from '#libs/manifest';

/** The roles that can read the audit trail. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  audit: { read: ['admin', 'finance', 'developer'] },
};
