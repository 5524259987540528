/** The roles of users and API keys. A role sets what they may do. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The right to read or to change a resource, such as `invoices:write`. */
export type Permission = `${string}:${'read' | 'write'}`;

/** What a user or an API key may do: what the role may, or only these permissions of it. */
export interface Access {
  readonly role: Role;
  /** Null or absent if there is no restriction. */
  readonly permissions?: readonly Permission[] | null;
}

type Roles = readonly [Role, ...Role[]];

/** The roles that may read a resource of the API, and those that may change it. If a right is omitted, no role has it. */
export interface ResourceAccess {
  readonly read?: Roles;
  readonly write?: Roles;
}

/** The roles that may use the resources of a context, by resource. */
export type Permissions = Readonly<Record<string, ResourceAccess>>;
