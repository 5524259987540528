import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  ahead,
  B0,
  B1,
  bill,
  charge,
  create,
  created,
  price,
  usage,
} from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import { readQuantities } from './quantities.js';

const { given } = decide(subscriptionDecider);

const seats = price('seats', {
  config: { model: 'unit', unitPrice: '10', currency: 'USD' },
  timing: 'in_advance',
});

describe('quantities in a request', () => {
  it('are units by price', () => {
    expect(readQuantities([{ priceId: 'seats', quantity: 5 }])).toEqual({ seats: '5' });
    expect(readQuantities([])).toEqual({});
    const prices = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ priceId: `p${i}`, quantity: 1 }));
    expect(Object.keys(readQuantities(prices(100)))).toHaveLength(100);
    expect(() => readQuantities(prices(101))).toThrow('quantities must be a list');
    expect(readQuantities([{ priceId: 'a', quantity: 0.123456789012345 }])).toEqual({
      a: '0.123456789012345',
    });
  });

  it.each<[unknown, string]>([
    [null, 'quantities must be a list'],
    [[null], 'quantities[0] must be an object'],
    [[5], 'quantities[0] must be an object'],
    [[{ priceId: 'a' }], 'quantities[0].quantity is required: a number that is not negative'],
    [[{ priceId: 'a', quantity: '5' }], 'quantities[0].quantity must be a number'],
    [[{ priceId: 'a', quantity: -1 }], 'quantities[0].quantity must be a number that is not negative'],
    [[{ priceId: 'a', quantity: 1e15 }], 'with at most 15 digits'],
    [[{ priceId: 'a', quantity: 1e-16 }], 'with at most 15 digits'],
    [
      [{ priceId: 'a', quantity: 1, unit: 2 }],
      'quantities[0] must be an object with only priceId and quantity',
    ],
    [
      [
        { priceId: 'a', quantity: 1 },
        { priceId: 'a', quantity: 2 },
      ],
      'quantities[1] must not repeat the price "a"',
    ],
  ])('are refused when %j', (input, message) => {
    expect(() => readQuantities(input)).toThrow(message);
  });
});

describe('a subscription with quantities', () => {
  it('has as many units of a fee as they say, and one unit of a fee that they do not name', () => {
    const first = bill('cycle', B0, [B0, B1], [{ ...charge(seats, B0, B1), quantity: '5' }]);
    const items = [usage, seats].map((of) => ({
      price: of,
      quantity: of === seats ? '5' : '1',
      since: B0,
    }));
    given()
      .when(create([usage, seats], { quantities: { seats: '5' } }))
      .then(created([usage, seats], first, { items }));
  });

  it('is refused for prices that are not on the plan, and for metered and flat prices', () => {
    given()
      .when(create([ahead], { quantities: { other: '5' } }))
      .refused('validation_failed', 'quantities');
    given()
      .when(create([ahead], { quantities: { ahead: '5' } }))
      .refused('validation_failed', 'quantities');
    given()
      .when(create([usage], { quantities: { usage: '5' } }))
      .refused('validation_failed', 'quantities');
  });
});
