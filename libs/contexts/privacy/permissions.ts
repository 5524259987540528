import type { Permissions } from '#libs/manifest';

/** The roles that may erase the personal data of a customer. An erasure cannot be undone. */
export const permissions: Permissions = {
  privacy: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin'] },
};
