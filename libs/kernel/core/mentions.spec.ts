import { describe, expect, it } from '@jest/globals';
import { mentionsAnyId, parseJson, withoutPersonalTexts } from './index.js';

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
    {
      electronicAddress: { scheme: 'EM', id: 'acme' },
      billToElectronicAddress: { scheme: 'EM', id: 'acme' },
    },
    { id: 'acme2', amount: 1.5, paid: true, reason: null },
  ])('is false for %j', (value) => {
    expect(mentionsAnyId(parseJson(JSON.stringify(value)), ids)).toBe(false);
  });
});

describe('a JSON value without personal texts', () => {
  it('keeps ids, numbers and states', () => {
    const value = { id: 'inv_1', customerId: 'acme', status: 'open', total: 1.5, createdAt: '2026-01-01' };
    expect(withoutPersonalTexts(value)).toEqual(value);
  });

  it.each([
    [
      { name: 'Ada', lines: [{ description: 'Ada' }] },
      { name: null, lines: [{ description: null }] },
    ],
    [
      { externalId: 'ada-1', taxId: 'DE1' },
      { externalId: null, taxId: null },
    ],
    [{ metadata: { id: 'ada-1' } }, { metadata: {} }],
    [{ buyerReference: '04011000-12345-34' }, { buyerReference: null }],
    [{ electronicAddress: { scheme: 'EM', id: 'ada@example.com' } }, { electronicAddress: null }],
    [{ billToElectronicAddress: { scheme: 'EM', id: 'ada@example.com' } }, { billToElectronicAddress: null }],
  ])('of %j is %j', (value, expected) => {
    expect(withoutPersonalTexts(value)).toEqual(expected);
  });
});
