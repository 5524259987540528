import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NO_POSTINGS } from '#libs/contexts/ledger';
import {
  auditTrailRules,
  contexts,
  INTERNAL,
  isAuditEntry,
  NONE,
  postingRules,
  vocabulary,
} from './index.js';

const foldersIn = (parent: string): string[] =>
  readdirSync(join(import.meta.dirname, '../../libs', parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('the manifests', () => {
  it('exist for every folder of contexts', () => {
    const names = contexts().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(foldersIn('contexts')));
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it('have an audit rule for each event, and for no other', () => {
    expect([...auditTrailRules().keys()].sort()).toEqual(vocabulary().types.sort());
  });

  it('have a posting rule for each event of a context with money, and for no other', () => {
    const withMoney = contexts().filter(({ postings }) => postings !== NONE);
    const types = withMoney.flatMap(({ deciders }) => deciders.flatMap(({ events }) => Object.keys(events)));
    expect([...postingRules().keys()].sort()).toEqual(types.sort());
    expect(withMoney.map(({ name }) => name).sort()).toEqual([
      'balances',
      'credits',
      'invoicing',
      'revenue',
      'subscriptions',
    ]);
  });
});

describe('the event types', () => {
  it('are read in each earlier schema version', () => {
    const missing = vocabulary().types.flatMap((type) => {
      const { version, upcasters = {} } = vocabulary().specOf(type)!;
      const versions = Array.from({ length: version - 1 }, (_, index) => index + 1);
      return versions.filter((earlier) => !upcasters[earlier]).map((earlier) => `${type} ${earlier}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the audit trail', () => {
  it('calls no two events the same', () => {
    const actions = [...auditTrailRules().values()].flatMap((rule) =>
      rule === INTERNAL ? [] : [rule.action],
    );
    expect(new Set(actions).size).toBe(actions.length);
    for (const action of actions) expect(action).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  });

  it('shows no personal data', () => {
    for (const [type, rule] of auditTrailRules()) {
      if (rule === INTERNAL) continue;
      const personal = vocabulary().specOf(type)?.personal?.fields ?? [];
      const shown = [rule.id, ...(rule.show ?? []), ...Object.keys(rule.showAs ?? {})];
      expect({ type, shown: shown.filter((name) => personal.includes(name)) }).toEqual({ type, shown: [] });
    }
  });

  it('has entries of public events, and of no unknown event', () => {
    expect(isAuditEntry({ type: 'CustomerDeleted' })).toBe(true);
    expect(isAuditEntry({ type: 'CustomerReferenced' })).toBe(false);
    expect(isAuditEntry({ type: 'OfAnotherProgram' })).toBe(false);
  });
});

describe('the ledger', () => {
  it('posts opened, paid and voided invoices, and nothing when a payment is only begun', () => {
    for (const type of ['InvoiceOpened', 'PaymentSucceeded', 'InvoiceVoided'])
      expect(typeof postingRules().get(type)).toBe('function');
    expect(postingRules().get('PaymentStarted')).toBe(NO_POSTINGS);
  });
});
