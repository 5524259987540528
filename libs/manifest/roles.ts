/** What a user or an API key may do, by name. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** What somebody may do with a resource: `invoices:write`. */
export type Permission = `${string}:${'read' | 'write'}`;

type Roles = readonly [Role, ...Role[]];

/** Who may read a resource of the API, and who may change it. A right that is left out does not exist. */
export interface ResourceAccess {
  readonly read?: Roles;
  readonly write?: Roles;
}

/** The resources of a context by name, with who may use them. */
export type Permissions = Readonly<Record<string, ResourceAccess>>;
