import { Forbidden, InvalidRequest, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { hasPermission, isKnownPermission, isSubsetOf, type Permission, type Role } from '#libs/manifest';
import type { AccessLimits } from '../principal.js';

/** A text that sorts after every instant. The text stands for the expiry of a key that never expires. */
const NEVER = '~';

/**
 * Reads the permissions that a new key is restricted to. Throws InvalidRequest if a permission does not exist, or if the role does not have
 * the permission.
 */
export function readPermissionLimit(role: Role, names: readonly string[]): Permission[] {
  const details = names.flatMap((name, i) => {
    const permission = name as Permission;
    if (hasPermission(role, permission)) return [];
    const message = isKnownPermission(permission)
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

/**
 * Throws InvalidRequest if an expiry is not in the future, by the machine's clock. An `undefined` expiry is accepted, because the key then
 * does not expire.
 */
export function requireFutureExpiry(expiresAt: Instant | undefined): void {
  const now = systemClock.now();
  if (expiresAt !== undefined && expiresAt <= now)
    throw InvalidRequest.field('expiresAt', `must be in the future; it is ${now}`);
}

/**
 * Throws Forbidden (`role_exceeds_own`) if a key may do something that the caller may not. Such a key must not be revoked by the caller, since
 * the end of a key can stop more than the caller could change.
 */
export function requireNoWiderKey(key: AccessLimits, caller: AccessLimits): void {
  if (isSubsetOf(key, caller)) return;
  const who = caller.permissions ? 'A restricted key' : `A ${caller.role}`;
  throw new Forbidden(
    'role_exceeds_own',
    `${who} cannot revoke a key that may do more than itself, such as one with the role ${key.role}; use another credential`,
  );
}

/**
 * Checks that a new key has only permissions of the caller and does not expire later than the caller's key. Throws Forbidden
 * (`role_exceeds_own`) if the key would have a permission that the caller does not have. Throws Forbidden (`expiry_exceeds_own`) if the key
 * would expire later than the caller's own key.
 */
export function requireWithinCallerLimits(key: AccessLimits, caller: AccessLimits): void {
  if (!isSubsetOf(key, caller)) {
    const who = caller.permissions ? 'A restricted key' : `A ${caller.role}`;
    throw new Forbidden(
      'role_exceeds_own',
      `${who} cannot make a key that may do more than itself, such as one with the role ${key.role}`,
    );
  }
  const { expiresAt: end = null } = caller;
  if (end !== null && (key.expiresAt ?? NEVER) > end)
    throw new Forbidden(
      'expiry_exceeds_own',
      `Your key expires at ${end}, and cannot make a key that lasts longer; give an expiresAt that is not later`,
    );
}
