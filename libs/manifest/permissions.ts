/** The roles of users and API keys. A role sets what they may do. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The right to read or to change a resource, such as `invoices:write`. */
export type Permission = `${string}:${'read' | 'write'}`;

type Roles = readonly [Role, ...Role[]];

/** The roles that may read a resource of the API, and those that may change it. A right that is left out does not exist. */
export interface ResourceAccess {
  readonly read?: Roles;
  readonly write?: Roles;
}

/** The resources of a context by name, with who may use them. */
export type Permissions = Readonly<Record<string, ResourceAccess>>;
