import { describe, expect, it } from '@jest/globals';
import {
  hasPermission,
  contexts,
  isAllowed,
  isKnownPermission,
  isSubsetOf,
  permissionsOf,
  ROLES,
  type Role,
} from './index.js';

const permissions = contexts().flatMap((context) => Object.entries(context.permissions));
const RESOURCES = permissions.map(([resource]) => resource).sort();
/** Only admins may read these. */
const ADMINS_ONLY = ['privacy', 'sso_connections'];
const every = permissions
  .flatMap(([resource, access]) => Object.keys(access).map((kind) => `${resource}:${kind}`))
  .sort();
const granted = (role: Role): string[] => [...permissionsOf(role)].sort();
const kind = (role: Role, access: 'read' | 'write'): string[] =>
  granted(role)
    .filter((permission) => permission.endsWith(`:${access}`))
    .map((permission) => permission.split(':')[0]!);

describe('the permission table', () => {
  it('lets an admin do everything', () => {
    expect(granted('admin')).toEqual(every);
  });

  it('lets finance read everything and write what has to do with money', () => {
    expect(kind('finance', 'read')).toEqual(RESOURCES.filter((one) => !ADMINS_ONLY.includes(one)));
    const not = ['api_keys', 'audit', 'catalog', 'ledger', 'sandbox', 'usage', 'users', 'webhooks'];
    const granted = ['billing', 'customers', 'invoices', 'subscriptions'];
    expect(kind('finance', 'write').filter((one) => [...granted, ...not].includes(one))).toEqual(granted);
  });

  it('lets a developer read everything and write what an integration needs', () => {
    expect(kind('developer', 'read')).toEqual(RESOURCES.filter((one) => !ADMINS_ONLY.includes(one)));
    const not = ['api_keys', 'audit', 'billing', 'invoices', 'ledger', 'users'];
    const granted = ['catalog', 'customers', 'sandbox', 'subscriptions', 'usage', 'webhooks'];
    expect(kind('developer', 'write').filter((one) => [...granted, ...not].includes(one))).toEqual(granted);
  });

  it('lets an ingest key send usage and nothing else', () => {
    expect(granted('ingest')).toEqual(['usage:write']);
  });

  it('lets a viewer read, except the audit trail, keys and the books', () => {
    expect(kind('viewer', 'write')).toEqual([]);
    const hidden = ['audit', 'api_keys', 'ledger', 'revenue', ...ADMINS_ONLY];
    expect(kind('viewer', 'read')).toEqual(RESOURCES.filter((one) => !hidden.includes(one)));
  });

  it('can be asked for a role and a permission', () => {
    expect(hasPermission('viewer', 'customers:read')).toBe(true);
    expect(hasPermission('viewer', 'customers:write')).toBe(false);
  });
});

describe('a restricted access', () => {
  it('includes those of its permissions that the role has', () => {
    const access = { role: 'viewer', permissions: ['customers:read', 'customers:write'] } as const;
    expect(isAllowed(access, 'customers:read')).toBe(true);
    expect(isAllowed(access, 'customers:write')).toBe(false);
    expect(isAllowed(access, 'invoices:read')).toBe(false);
    expect(isAllowed({ role: 'viewer', permissions: null }, 'invoices:read')).toBe(true);
  });
});

describe('a permission', () => {
  it('is granted to a role, or is misspelt', () => {
    expect(isKnownPermission('invoices:write')).toBe(true);
    expect(isKnownPermission('invoice:write')).toBe(false);
    expect(isKnownPermission('ledger:write')).toBe(false);
  });
});

describe('handing out a role', () => {
  it('is possible up to the permissions of the grantor', () => {
    const within = (grantor: Role): Role[] => ROLES.filter((role) => isSubsetOf({ role }, { role: grantor }));
    expect(within('admin')).toEqual([...ROLES]);
    expect(within('developer')).toEqual(['developer', 'ingest', 'viewer']);
    expect(within('finance')).toEqual(['finance', 'viewer']);
    expect(within('viewer')).toEqual(['viewer']);
    expect(within('ingest')).toEqual(['ingest']);
  });

  it('is possible up to the permissions that a restricted grantor has', () => {
    const grantor = { role: 'admin', permissions: ['customers:read', 'api_keys:write'] } as const;
    expect(isSubsetOf({ role: 'viewer' }, grantor)).toBe(false);
    expect(isSubsetOf({ role: 'viewer', permissions: ['customers:read'] }, grantor)).toBe(true);
    expect(isSubsetOf({ role: 'admin', permissions: ['customers:write'] }, grantor)).toBe(false);
    expect(isSubsetOf({ role: 'viewer', permissions: ['customers:read'] }, { role: 'viewer' })).toBe(true);
  });
});
