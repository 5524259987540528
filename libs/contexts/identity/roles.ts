/** What a user or an API key may do, by name. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** What the API lets somebody read or write. */
export const RESOURCES = [
  'api_keys',
  'audit',
  'billing',
  'catalog',
  'customers',
  'invoices',
  'ledger',
  'sandbox',
  'subscriptions',
  'usage',
  'webhooks',
  'workspace',
] as const;

export type Resource = (typeof RESOURCES)[number];

export type Permission = `${Resource}:${'read' | 'write'}`;

const reads = (...except: Resource[]): Permission[] =>
  RESOURCES.filter((resource) => !except.includes(resource)).map((resource) => `${resource}:read` as const);

const writes = (...resources: Resource[]): Permission[] =>
  resources.map((resource) => `${resource}:write` as const);

/** The one permission table, for users and keys alike. */
export const PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  admin: new Set([...reads(), ...writes(...RESOURCES)]),
  finance: new Set([...reads(), ...writes('invoices', 'billing', 'customers', 'subscriptions')]),
  developer: new Set([
    ...reads(),
    ...writes('customers', 'catalog', 'usage', 'subscriptions', 'webhooks', 'sandbox'),
  ]),
  ingest: new Set(writes('usage')),
  viewer: new Set(reads('audit', 'api_keys', 'ledger')),
};

/** Whether the role has the permission. */
export function can(role: Role, permission: Permission): boolean {
  return PERMISSIONS[role].has(permission);
}

/** Whether `role` may do nothing that `grantor` may not: nobody hands out more than they have. */
export function isWithin(role: Role, grantor: Role): boolean {
  return [...PERMISSIONS[role]].every((permission) => can(grantor, permission));
}
