import { contexts } from './contexts.js';
import { ROLES, type Access, type Permission, type Role } from './permissions.js';

/** Returns the permissions of a role, from all contexts. */
export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return table()[role];
}

/** Tells whether the role has the permission. */
export function hasPermission(role: Role, permission: Permission): boolean {
  return permissionsOf(role).has(permission);
}

/** Tells whether the access includes the permission. */
export function isAllowed({ role, permissions }: Access, permission: Permission): boolean {
  return hasPermission(role, permission) && (permissions?.includes(permission) ?? true);
}

/** Tells whether `grantor` has every permission of `access`. A user or an API key cannot grant a permission that it does not have. */
export function isSubsetOf(access: Access, grantor: Access): boolean {
  return (access.permissions ?? [...permissionsOf(access.role)]).every((permission) =>
    isAllowed(grantor, permission),
  );
}

/** Tells whether some role has the permission. A permission that no role has is misspelt, or is missing in the manifests. */
export function isKnownPermission(permission: Permission): boolean {
  return ROLES.some((role) => hasPermission(role, permission));
}

let made: Readonly<Record<Role, ReadonlySet<Permission>>> | undefined;

function table(): Readonly<Record<Role, ReadonlySet<Permission>>> {
  if (made) return made;
  const granted = Object.fromEntries(ROLES.map((role) => [role, new Set<Permission>()])) as Record<
    Role,
    Set<Permission>
  >;
  for (const { permissions } of contexts())
    for (const [resource, access] of Object.entries(permissions))
      for (const kind of ['read', 'write'] as const)
        for (const role of access[kind] ?? []) granted[role].add(`${resource}:${kind}`);
  return (made = granted);
}
