import { describe, expect, it } from '@jest/globals';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { eventSpec, eventTypes } from '#libs/kernel/domain';
import { auditRules } from './index.js';
import { INTERNAL } from './rule.js';

/** Loads every context, so that every event there is has been registered. */
async function loadContexts(): Promise<void> {
  const cwd = join(import.meta.dirname, '../../..');
  for (const index of globSync('libs/*/*/index.ts', { cwd })) await import(join(cwd, index));
}

describe('the audit trail', () => {
  it('says of every event of every context what it is, and of none that there is not', async () => {
    await loadContexts();
    expect([...auditRules.keys()].sort()).toEqual(eventTypes().sort());
  });

  it('calls no two events the same', () => {
    const actions = [...auditRules.values()].flatMap((rule) => (rule === INTERNAL ? [] : [rule.action]));
    expect(new Set(actions).size).toBe(actions.length);
    for (const action of actions) expect(action).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  });

  it('shows no personal data', async () => {
    await loadContexts();
    for (const [type, rule] of auditRules) {
      if (rule === INTERNAL) continue;
      const personal = eventSpec(type)?.personal?.fields ?? [];
      const shown = [rule.id, ...(rule.show ?? []), ...Object.keys(rule.showAs ?? {})];
      expect({ type, shown: shown.filter((name) => personal.includes(name)) }).toEqual({ type, shown: [] });
    }
  });
});
