import { describe, expect, it } from '@jest/globals';
import { hasUsesLeft } from './coupon-duration.js';

describe('coupons', () => {
  it('apply to one invoice, to several, or to all', () => {
    const uses = [0, 1, 2, 3];
    expect(uses.map((used) => hasUsesLeft({ type: 'once' }, used))).toEqual([true, false, false, false]);
    expect(uses.map((used) => hasUsesLeft({ type: 'repeating', invoices: 2 }, used))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(uses.every((used) => hasUsesLeft({ type: 'forever' }, used))).toBe(true);
  });
});
