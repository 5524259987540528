import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { customerCouponsDecider, usableCoupons } from './customer-coupons.js';
import type { Redemption, RedemptionEvent } from './events.js';

const customerId = 'cust_1';
const at = '2026-01-01T00:00:00.000Z';
const redemption: Redemption = {
  redemptionId: 'red_1',
  couponId: 'WELCOME',
  name: 'Welcome',
  discount: { type: 'percentage', percent: '10' },
  duration: { type: 'repeating', invoices: 2 },
  planIds: null,
  priceIds: null,
  subscriptionId: null,
  redeemedAt: at,
};
const applied = (change: Partial<Redemption> = {}): RedemptionEvent => {
  const { redeemedAt, ...details } = { ...redemption, ...change };
  return { type: 'CouponApplied', data: { customerId, at: redeemedAt, ...details } };
};
const removed: RedemptionEvent = {
  type: 'CouponRemoved',
  data: { customerId, redemptionId: 'red_1', at },
};
const used = (invoiceId: string, redemptionId = 'red_1'): RedemptionEvent => ({
  type: 'CouponUsed',
  data: { customerId, redemptionId, invoiceId, at, timezone: 'UTC', periods: [] },
});
const returned = (invoiceId: string): RedemptionEvent => ({
  type: 'CouponUseReturned',
  data: { customerId, redemptionId: 'red_1', invoiceId },
});
const apply = (change: Partial<Redemption> = {}) =>
  ({ type: 'ApplyCoupon', customerId, redemption: { ...redemption, ...change } }) as const;
const use = (invoiceId: string, ...redemptionIds: string[]) =>
  ({
    type: 'UseCoupons',
    customerId,
    redemptionIds,
    invoice: { invoiceId, at, timezone: 'UTC', periods: [] },
  }) as const;
const remove = (subscriptionId: string | null = null) =>
  ({ type: 'RemoveCoupon', customerId, at, redemptionId: 'red_1', subscriptionId }) as const;
const { given } = decide(customerCouponsDecider);

describe('the coupons of a customer', () => {
  it('are applied once each to the same invoices', () => {
    given().when(apply()).then(applied());
    given(applied()).when(apply()).then();
    given(applied())
      .when(apply({ redemptionId: 'red_2' }))
      .refused('coupon_already_applied');
    given(applied(), removed)
      .when(apply({ redemptionId: 'red_2' }))
      .then(applied({ redemptionId: 'red_2' }));
    const ofSubscription = { redemptionId: 'red_2', subscriptionId: 'sub_1' };
    given(applied()).when(apply(ofSubscription)).then(applied(ofSubscription));
    const other = { redemptionId: 'red_3', couponId: 'OTHER' };
    given(applied()).when(apply(other)).then(applied(other));
  });

  it('are removed from the customer or subscription that has them', () => {
    given(applied()).when(remove()).then(removed);
    given(applied()).when(remove('sub_1')).refused('coupon_redemption_not_found');
    given(applied(), removed).when(remove()).refused('coupon_redemption_not_found');
    const second = { redemptionId: 'red_2', couponId: 'OTHER', subscriptionId: 'sub_1' };
    given(applied(second), applied()).when(remove()).then(removed);
    given(applied(second)).when(remove()).refused('coupon_redemption_not_found');
    expect(given(applied(), applied(second), removed).state()!.redemptions).toMatchObject([
      { redemptionId: 'red_1', removedAt: at },
      { redemptionId: 'red_2', removedAt: null },
    ]);
  });

  it('are used on as many invoices as their duration allows, once on each, all or none', () => {
    given(applied(), used('inv_1')).when(use('inv_2', 'red_1')).then(used('inv_2'));
    given(applied(), used('inv_1'), used('inv_2')).when(use('inv_2', 'red_1')).then();
    given(applied(), used('inv_1'), used('inv_2')).when(use('inv_3', 'red_1')).refused('coupon_uses_gone');
    const second = { redemptionId: 'red_2', couponId: 'OTHER' };
    given(applied(), applied(second), used('inv_1'), used('inv_2'))
      .when(use('inv_3', 'red_2', 'red_1'))
      .refused('coupon_uses_gone');
    given(applied(), applied(second))
      .when(use('inv_3', 'red_2', 'red_1'))
      .then(used('inv_3'), used('inv_3', 'red_2'));
    given(applied(), applied(second)).when(use('inv_3', 'red_2')).then(used('inv_3', 'red_2'));
    given(applied(), removed).when(use('inv_1', 'red_1')).refused('coupon_uses_gone');
    given().when(use('inv_1', 'red_1')).refused('coupon_uses_gone');
  });

  it('are used once by several invoices within one billing period', () => {
    const january = '2026-01-01T00:00:00.000Z';
    const february = '2026-02-01T00:00:00.000Z';
    const within = (invoiceId: string, at: string, ...periods: string[]) => ({
      invoiceId,
      at,
      timezone: 'UTC',
      periods: periods.map((period) => ({
        subscriptionId: period.split(' ')[0]!,
        start: period.split(' ')[1]!,
      })),
    });
    const useWithin = (invoice: ReturnType<typeof within>) =>
      ({ type: 'UseCoupons', customerId, invoice, redemptionIds: ['red_1'] }) as const;
    const usedWithin = ({ invoiceId, ...use }: ReturnType<typeof within>): RedemptionEvent => ({
      type: 'CouponUsed',
      data: { customerId, redemptionId: 'red_1', invoiceId, ...use },
    });
    const renewal = within('inv_1', january, `sub_1 ${january}`);
    const seats = within('inv_2', '2026-01-10T00:00:00.000Z', `sub_1 ${january}`);
    const more = within('inv_3', '2026-01-21T00:00:00.000Z', `sub_1 ${january}`);
    const next = within('inv_4', february, `sub_1 ${february}`);
    const others = within('inv_5', february, `sub_2 ${february}`);
    const history = [applied(), usedWithin(renewal), usedWithin(seats), usedWithin(more)];
    given(...history)
      .when(useWithin(next))
      .then(usedWithin(next));
    given(...history, usedWithin(next))
      .when(useWithin(others))
      .refused('coupon_uses_gone');
    // The coupon has no use left, but an added seat is within a period that has the discount.
    const seat = within('inv_6', '2026-02-10T00:00:00.000Z', `sub_1 ${february}`);
    given(...history, usedWithin(next))
      .when(useWithin(seat))
      .then(usedWithin(seat));
    // The common invoice of two subscriptions counts once, and then for the periods of both.
    const common = within('inv_7', february, `sub_1 ${february}`, `sub_2 ${february}`);
    given(...history, usedWithin(common))
      .when(useWithin(others))
      .then(usedWithin(others));
  });

  it('of earlier versions are used without a time or a billing period', () => {
    const stored: RedemptionEvent = {
      type: 'CouponUsed',
      data: { customerId, redemptionId: 'red_1', invoiceId: 'inv_1' },
    };
    given(applied(), stored).when(use('inv_2', 'red_1')).then(used('inv_2'));
    given(applied(), stored, used('inv_2')).when(use('inv_3', 'red_1')).refused('coupon_uses_gone');
  });

  it('can discount the invoices of their subscription, or all invoices', () => {
    const usable = (...subscriptionIds: string[]) =>
      usableCoupons(
        given(applied(), applied({ redemptionId: 'red_2', subscriptionId: 'sub_1' })).state()!.redemptions,
        {
          invoiceId: 'inv_1',
          at,
          timezone: 'UTC',
          periods: subscriptionIds.map((subscriptionId) => ({ subscriptionId, start: at })),
        },
      ).map(({ redemptionId }) => redemptionId);
    expect(usable('sub_1')).toEqual(['red_1', 'red_2']);
    expect(usable('sub_2', 'sub_1')).toEqual(['red_1', 'red_2']);
    expect(usable('sub_2')).toEqual(['red_1']);
  });

  it('count the invoices that they were used on, without those that were voided', () => {
    const second = { redemptionId: 'red_2', couponId: 'OTHER' };
    const history = [applied(), applied(second), used('inv_1'), used('inv_2'), used('inv_1', 'red_2')];
    const invoices = (...events: RedemptionEvent[]) =>
      given(...history, ...events)
        .state()!
        .redemptions.map(({ invoiceIds }) => invoiceIds);
    expect(invoices()).toEqual([['inv_1', 'inv_2'], ['inv_1']]);
    expect(invoices(returned('inv_1'))).toEqual([['inv_2'], ['inv_1']]);
  });

  it('can be used again after the invoice is voided', () => {
    given(applied(), used('inv_1'), used('inv_2'))
      .when({ type: 'ReturnUses', customerId, invoiceId: 'inv_1' })
      .then(returned('inv_1'));
    given(applied(), used('inv_1'), used('inv_2'), returned('inv_1'))
      .when(use('inv_3', 'red_1'))
      .then(used('inv_3'));
    given(applied()).when({ type: 'ReturnUses', customerId, invoiceId: 'inv_1' }).then();
  });
});
