import { describe, expect, it } from '@jest/globals';
import {
  countUses,
  endOfCoupon,
  hasUseLeft,
  type CouponDuration,
  type CouponInvoice,
} from './coupon-duration.js';

const invoice = (invoiceId: string, at: string, ...periods: [string, string][]): CouponInvoice => ({
  invoiceId,
  at,
  timezone: 'UTC',
  periods: periods.map(([subscriptionId, start]) => ({ subscriptionId, start })),
});
const january = '2026-01-01T00:00:00.000Z';
const february = '2026-02-01T00:00:00.000Z';
const april = '2026-04-01T00:00:00.000Z';

describe('a coupon', () => {
  it('applies to one invoice, to several billing periods, or to all invoices', () => {
    const usesLeft = (duration: CouponDuration) =>
      [0, 1, 2].map((used) =>
        hasUseLeft(
          duration,
          Array.from({ length: used }, (_, i) => ({ invoiceId: `inv_${i}` })),
          invoice('inv_9', january),
        ),
      );
    expect(usesLeft({ type: 'once' })).toEqual([true, false, false]);
    expect(usesLeft({ type: 'repeating', invoices: 2 })).toEqual([true, true, false]);
    expect(usesLeft({ type: 'forever' })).toEqual([true, true, true]);
  });

  it('is used once by the invoices within one billing period', () => {
    const renewal = invoice('inv_1', january, ['sub_1', january]);
    const seats = invoice('inv_2', '2026-01-10T00:00:00.000Z', ['sub_1', january]);
    const next = invoice('inv_3', february, ['sub_1', february]);
    expect(countUses([renewal, seats, next])).toBe(2);
    // Other subscriptions have other billing periods, and a common invoice counts once.
    expect(countUses([renewal, invoice('inv_4', january, ['sub_2', january])])).toBe(2);
    const common = invoice('inv_5', february, ['sub_1', february], ['sub_2', february]);
    expect(countUses([common, invoice('inv_6', february, ['sub_2', february])])).toBe(1);
    // A manual invoice, and a use of an earlier version, have no billing period.
    expect(countUses([invoice('inv_7', january), invoice('inv_8', january), { invoiceId: 'inv_9' }])).toBe(3);
  });

  it('for months ends months after the first invoice with the coupon', () => {
    const threeMonths: CouponDuration = { type: 'months', months: 3 };
    const applies = (at: string) =>
      hasUseLeft(threeMonths, [invoice('inv_1', january)], invoice('inv_2', at));
    expect(hasUseLeft(threeMonths, [], invoice('inv_1', january))).toBe(true);
    expect([february, '2026-03-31T23:59:59.999Z', april].map(applies)).toEqual([true, true, false]);
    expect(endOfCoupon(threeMonths, [], invoice('inv_1', january))).toBe(april);
    // The months are counted in local time: midnight of 1 November to midnight of 1 May in Berlin.
    const berlin = { invoiceId: 'inv_1', at: '2025-10-31T23:00:00.000Z', timezone: 'Europe/Berlin' };
    const end = endOfCoupon({ type: 'months', months: 6 }, [berlin], invoice('inv_2', january));
    expect(end).toBe('2026-04-30T22:00:00.000Z');
    expect(endOfCoupon({ type: 'repeating', invoices: 3 }, [], invoice('inv_1', january))).toBeNull();
  });
});
