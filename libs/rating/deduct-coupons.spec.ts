import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import { deductCoupons, type UsableCoupon } from './deduct-coupons.js';

const percent = (couponId: string, value: string, ...lineIds: string[]): UsableCoupon => ({
  couponId,
  discount: { type: 'percentage', percent: value },
  ...(lineIds.length > 0 ? { lineIds } : {}),
});
const fixed = (couponId: string, amount: string, currency = 'USD'): UsableCoupon => ({
  couponId,
  discount: { type: 'fixed', amount, currency },
});
const line = (id: string, amount: string) => ({ id, amount });

describe('coupons', () => {
  it('that are limited to lines come first, then the others in the given order', () => {
    const lines = [line('a', '50.00'), line('b', '50.00')];
    expect(deductCoupons(lines, [fixed('all', '10'), percent('a', '50', 'a')], 'USD')).toEqual([
      { couponId: 'a', place: 1, amount: '25.00', lines: [line('a', '25.00')] },
      { couponId: 'all', place: 0, amount: '10.00', lines: [line('a', '3.33'), line('b', '6.67')] },
    ]);
  });

  it('do not discount a credit or a missing line', () => {
    expect(deductCoupons([line('a', '10.00'), line('b', '-4.00')], [percent('c', '50')], 'USD')).toEqual([
      { couponId: 'c', place: 0, amount: '5.00', lines: [line('a', '5.00')] },
    ]);
    expect(deductCoupons([line('a', '10.00')], [percent('c', '50', 'gone')], 'USD')).toEqual([]);
  });

  it('in another currency, or without a remaining amount, are not used', () => {
    const lines = [line('a', '10.00')];
    expect(deductCoupons(lines, [fixed('euros', '5', 'EUR')], 'USD')).toEqual([]);
    expect(deductCoupons(lines, [fixed('a', '10'), percent('b', '10')], 'USD')).toHaveLength(1);
    expect(deductCoupons(lines, [fixed('nothing', '0')], 'USD')).toEqual([]);
  });

  it('never make a line negative, and their parts sum to their amounts', () => {
    const cents = fc.nat(100_000).map((n) => new Decimal(n).div(100).toFixed(2));
    const lines = fc
      .array(cents, { maxLength: 6 })
      .map((amounts) => amounts.map((amount, i) => line(String(i), amount)));
    const coupon = fc.oneof(
      cents.map((amount) => fixed('f', amount)),
      fc
        .tuple(fc.nat(100), fc.option(fc.nat(5)))
        .map(([rate, id]) => percent('p', String(rate), ...(id === null ? [] : [String(id)]))),
    );
    fc.assert(
      fc.property(lines, fc.array(coupon, { maxLength: 4 }), (given, coupons) => {
        const applied = deductCoupons(given, coupons, 'USD');
        for (const { amount, lines: parts } of applied)
          expect(sumOf(parts.map((part) => part.amount)).eq(amount)).toBe(true);
        for (const { id, amount } of given) {
          const taken = sumOf(
            applied.flatMap((one) => one.lines.filter((part) => part.id === id)).map((part) => part.amount),
          );
          expect(taken.lte(amount)).toBe(true);
        }
      }),
    );
  });
});
