import { describe, expect, it } from '@jest/globals';
import { mentionsAnyId, parseJson } from './index.js';

const ids = new Set(['acme']);

describe('whether a JSON value names an id', () => {
  it.each([
    { id: 'acme' },
    { customerId: 'acme' },
    { customerIds: ['bob', 'acme'] },
    { customer_id: 'acme' },
    { events: [{ customer_id: 'acme' }] },
    { ids: ['acme'] },
    { carriedFrom: 'acme' },
    { replacedBy: 'acme' },
    { data: [{ by: { type: 'customer', id: 'acme' } }] },
  ])('is true for %j', (value) => {
    expect(mentionsAnyId(parseJson(JSON.stringify(value)), ids)).toBe(true);
  });

  it.each([
    'acme',
    { currency: 'acme', status: 'acme', language: 'acme', name: 'acme', lines: [{ description: 'acme' }] },
    { externalId: 'acme', taxId: 'acme', couponId: 'acme' },
    { external_id: 'acme', tax_id: 'acme', coupon_id: 'acme' },
    { metadata: { parent: 'acme', parentId: 'acme' } },
    { properties: { id: 'acme' }, lines: [{ group: { tenantId: 'acme' } }] },
    { id: 'acme2', amount: 1.5, paid: true, reason: null },
  ])('is false for %j', (value) => {
    expect(mentionsAnyId(parseJson(JSON.stringify(value)), ids)).toBe(false);
  });
});
