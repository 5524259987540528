import type { Permissions } from '#libs/manifest';

/**
 * Only admins may export or erase the personal data of a customer. One export contains data that a user could otherwise read only with
 * several roles.
 */
export const permissions: Permissions = {
  privacy: { read: ['admin'], write: ['admin'] },
};
