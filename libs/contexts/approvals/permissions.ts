import type { Permissions, Role } from '#libs/manifest';

const READERS = ['admin', 'finance', 'developer', 'viewer'] as const satisfies readonly Role[];

/** The roles that may read and change approval policies and requests. Each endpoint names the permission that it requires. */
export const permissions: Permissions = {
  /** A user with the permission `approvals:write` may approve and reject requests. */
  approvals: { read: READERS, write: ['admin', 'finance'] },
  approval_policies: { read: READERS, write: ['admin'] },
};
