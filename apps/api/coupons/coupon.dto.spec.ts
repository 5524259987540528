import { describe, expect, it } from '@jest/globals';
import { readCouponDetails } from './coupon.dto.js';

describe('a fixed coupon', () => {
  it('takes an amount with the digits of its currency', () => {
    expect(readCouponDetails({ name: 'Ten', amountOff: '10.05', currency: 'USD' }).discount).toEqual({
      type: 'fixed',
      amount: '10.05',
      currency: 'USD',
    });
  });

  it.each([
    ['10.005', 'USD', 'give at most 2 digits after the point'],
    ['10.5', 'JPY', 'give a whole number'],
  ])('refuses %s %s, which no invoice could take off', (amountOff, currency, remedy) => {
    expect(() => readCouponDetails({ name: 'Ten', amountOff, currency })).toThrow(
      `amountOff: must not have a fraction of the smallest unit of ${currency}; ${remedy}`,
    );
  });
});
