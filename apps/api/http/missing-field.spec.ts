import { describe, expect, it } from '@jest/globals';
import { findFieldWithId } from './missing-field.js';

const missing = { resource: 'payment method', id: 'x' };

describe('findFieldWithId', () => {
  it.each([
    ['a path parameter', [{ id: 'x' }, {}, undefined], 'id'],
    ['a query parameter', [{}, { customer_id: 'x' }, undefined], 'customer_id'],
    ['a field of the body', [{ id: 'y' }, {}, { name: 'A', planId: 'x' }], 'planId'],
    ['an element of a list', [{}, {}, { prices: ['y', { priceId: 'x' }] }], 'prices[1].priceId'],
  ])('is %s', (_, parts, field) => expect(findFieldWithId(missing, parts)).toBe(field));

  it('is the one that is called after the thing, if several have its id', () => {
    const parts = [{ id: 'x', paymentMethodId: 'x' }, {}, { planId: 'x' }];
    expect(findFieldWithId(missing, parts)).toBe('paymentMethodId');
    expect(findFieldWithId({ resource: 'plan', id: 'x' }, parts)).toBe('planId');
    expect(findFieldWithId({ resource: 'customer', id: 'x' }, parts)).toBe('id');
  });

  it('is none, if the request does not name it', () =>
    expect(findFieldWithId(missing, [{ id: 'y' }, null, 'x and more'])).toBeUndefined());
});
