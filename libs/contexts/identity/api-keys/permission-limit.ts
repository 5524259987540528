import { Forbidden, InvalidRequest } from '#libs/kernel/core';
import {
  hasPermission,
  isGranted,
  isSubsetOf,
  type Access,
  type Permission,
  type Role,
} from '#libs/manifest';

/**
 * Reads the permissions that a new key is restricted to. Throws InvalidRequest if one does not exist, or if the role does not have it.
 */
export function readPermissionLimit(role: Role, names: readonly string[]): Permission[] {
  const details = names.flatMap((name, i) => {
    const permission = name as Permission;
    if (hasPermission(role, permission)) return [];
    const message = isGranted(permission)
      ? `must be a permission of the role; the role ${role} does not have "${name}"`
      : `must be a permission, such as "invoices:read"; there is no "${name}"`;
    return [{ field: `permissions[${i}]`, message }];
  });
  if (details.length > 0)
    throw new InvalidRequest(
      'validation_failed',
      details.map(({ field, message }) => `${field} ${message}`).join('; '),
      details,
    );
  return [...new Set(names as readonly Permission[])].sort();
}

/** Throws Forbidden (`role_exceeds_own`) if a key would have a permission that the caller does not have. */
export function requireWithinOwn(key: Access, caller: Access): void {
  if (isSubsetOf(key, caller)) return;
  const who = caller.permissions ? 'A restricted key' : `A ${caller.role}`;
  throw new Forbidden(
    'role_exceeds_own',
    `${who} cannot make a key that may do more than itself, such as one with the role ${key.role}`,
  );
}
