import type { Permissions, Role } from '#libs/manifest';

const READERS = ['admin', 'finance', 'developer', 'viewer'] as const satisfies readonly Role[];

/** The roles that may read and change each resource. The endpoints name the permission that they require. */
export const permissions: Permissions = {
  /** The permission `approvals:write` allows to approve and to reject. */
  approvals: { read: READERS, write: ['admin', 'finance'] },
  approval_policies: { read: READERS, write: ['admin'] },
};
