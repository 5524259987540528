import type { Permissions } from '#libs/manifest';

/** Only admins may export or erase the personal data of a customer. An export shows data together that otherwise needs several roles. */
export const permissions: Permissions = {
  privacy: { read: ['admin'], write: ['admin'] },
};
