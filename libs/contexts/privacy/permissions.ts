import type { Permissions } from '#libs/manifest';

/** Only admins may export or erase the personal data of a customer. An export shows at once what several roles may see apart. */
export const permissions: Permissions = {
  privacy: { read: ['admin'], write: ['admin'] },
};
