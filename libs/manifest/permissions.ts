/** The roles of users and API keys. A role determines what a user or an API key may do. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The right to read or to change a resource, such as `invoices:write`. */
export type Permission = `${string}:${'read' | 'write'}`;

/** The access of a user or an API key: all permissions of its role, or only some of them. */
export interface Access {
  readonly role: Role;
  /** The permissions to which the access is restricted; null or absent without a restriction. */
  readonly permissions?: readonly Permission[] | null;
}

type Roles = readonly [Role, ...Role[]];

/**
 * The roles that may read a resource of the API, and the roles that may change it. If `read` or `write` is omitted, no role has this right.
 */
export interface ResourceAccess {
  readonly read?: Roles;
  readonly write?: Roles;
}

/** The roles that may use the resources of a context, by resource. */
export type Permissions = Readonly<Record<string, ResourceAccess>>;
