import type { Permissions } from '#libs/manifest';

/** The roles that may erase a person, which cannot be undone. */
export const permissions: Permissions = {
  privacy: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin'] },
};
