import { describe, expect, it } from '@jest/globals';
import { findFieldNaming } from './missing-field.js';

const missing = { resource: 'payment method', id: 'x' };

describe('findFieldNaming', () => {
  it.each([
    ['a path parameter', [{ id: 'x' }, {}, undefined], 'id'],
    ['a query parameter', [{}, { customer_id: 'x' }, undefined], 'customer_id'],
    ['a field of the body', [{ id: 'y' }, {}, { name: 'A', planId: 'x' }], 'planId'],
    ['an element of a list', [{}, {}, { prices: ['y', { priceId: 'x' }] }], 'prices[1].priceId'],
  ])('is %s', (_, parts, field) => expect(findFieldNaming(missing, parts)).toBe(field));

  it('is the one that is called after the thing, if several have its id', () => {
    const parts = [{ id: 'x', paymentMethodId: 'x' }, {}, { planId: 'x' }];
    expect(findFieldNaming(missing, parts)).toBe('paymentMethodId');
    expect(findFieldNaming({ resource: 'plan', id: 'x' }, parts)).toBe('planId');
    expect(findFieldNaming({ resource: 'customer', id: 'x' }, parts)).toBe('id');
  });

  it('is none, if the request does not name it', () =>
    expect(findFieldNaming(missing, [{ id: 'y' }, null, 'x and more'])).toBeUndefined());
});
