import { describe, expect, it } from '@jest/globals';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { eventCategory, eventTypes } from '#libs/kernel/domain';
import { ledgerEventTypes, postingRules } from './index.js';

/** Streams in which nobody comes to owe, pay or earn anything. */
const WITHOUT_MONEY = [
  'apiKey',
  'audit',
  'billingSettings',
  'consolidation',
  'coupon',
  'customer',
  'customerCoupons',
  'metric',
  'plan',
  'planmigrations',
  'price',
  'pricemigration',
  'session',
  'taxRate',
  'unmatchedUsage',
  'user',
  'webhook',
  'workspace',
];

/** Loads every context, so that every event there is has been registered. */
async function loadContexts(): Promise<void> {
  const cwd = join(import.meta.dirname, '../../../..');
  for (const index of globSync('libs/*/*/index.ts', { cwd })) await import(join(cwd, index));
}

describe('the posting rules', () => {
  it('say of every event in streams with money how it is posted, and of no event that there is not', async () => {
    await loadContexts();
    const withMoney = eventTypes().filter((type) => !WITHOUT_MONEY.includes(eventCategory(type)!));
    expect([...postingRules.keys()].sort()).toEqual(withMoney.sort());
  });

  it('name no stream as without money that there is not', async () => {
    await loadContexts();
    const categories = new Set(eventTypes().map((type) => eventCategory(type)!));
    expect(WITHOUT_MONEY.filter((category) => !categories.has(category))).toEqual([]);
  });

  it('let the ledger hear of what it posts alone', () => {
    expect(ledgerEventTypes).toEqual(
      expect.arrayContaining(['InvoiceCreated', 'InvoiceOpened', 'PaymentSucceeded', 'InvoiceVoided']),
    );
    expect(ledgerEventTypes).not.toContain('PaymentStarted');
  });
});
