import { describe, expect, it } from '@jest/globals';
import type { CustomerCoupon } from '#libs/contexts/coupons';
import { fold } from '#libs/kernel/domain';
import { PRORATION_BY_TIME, type PriceSnapshot } from '#libs/rating';
import { subscriptionDecider, type Subscription } from '#libs/contexts/subscriptions';
import { create, plan, price, usage } from '../../../test/support/sample-subscription.js';
import { migrationEffect, totalEffects, type BillPricingData } from './migration-effect.js';

const advance = (priceId: string, amount: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  price(priceId, { config: { model: 'flat', amount, currency: 'USD' }, timing: 'in_advance', ...more });
/** The period from 1 to 31 March 2026. Half of it is left at `at`. */
const START = '2026-03-01T00:00:00.000Z';
const at = '2026-03-16T12:00:00.000Z';

const subscribed = (...prices: PriceSnapshot[]): Subscription =>
  fold(
    subscriptionDecider,
    subscriptionDecider.decide(create(prices, { startsAt: START, at: START }), undefined),
  )!;
const now = { at, atPeriodEnd: false };
/** No invoice exists yet, so the amounts come from the bills. */
const byTime: BillPricingData = { prorationBasis: PRORATION_BY_TIME, invoices: [], coupons: [] };
const to = (...prices: PriceSnapshot[]) => ({
  plan: { ...plan(...prices), planId: 'plan_2' },
  priceMap: {},
});

describe('the effect of a price migration', () => {
  it('is the fees of a month before and after, and the proration of the present period', () => {
    const before = subscribed(advance('old', '30'), usage);
    expect(migrationEffect(before, to(advance('new', '50'), usage), now, byTime)).toEqual({
      subscriptionId: 'sub_1',
      customerId: 'cust_1',
      currency: 'USD',
      currentAmount: '30.00',
      newAmount: '50.00',
      proration: '10.00',
      couponUses: [],
      problem: null,
    });
  });

  it('counts a twelfth of a yearly fee, and give-backs as negative amounts', () => {
    const before = subscribed(advance('old', '30'), usage);
    const yearly = to(advance('year', '120', { cadence: 'annual' }), advance('small', '1'), usage);
    expect(migrationEffect(before, yearly, now, byTime)).toMatchObject({ newAmount: '11.00' });
    expect(migrationEffect(before, to(usage), now, byTime)).toMatchObject({
      newAmount: '0.00',
      proration: '-15.00',
    });
  });

  it('prorates in days, and within the bounds of prices, if invoices do', () => {
    const config = { model: 'flat', amount: '30', minimumAmount: '31', currency: 'USD' } as const;
    const before = subscribed(advance('old', '30', { config }));
    const inDays = { unit: 'days', timezone: 'UTC' } as const;
    // 16 of 31 days are left, as the day of the change is the new price's.
    expect(
      migrationEffect(before, to(advance('new', '62')), now, { ...byTime, prorationBasis: inDays }),
    ).toMatchObject({
      currentAmount: '31.00',
      proration: '16.00',
    });
  });

  it('subtracts the discount of the customer’s coupons that count for the new plan', () => {
    const before = subscribed(advance('old', '30'));
    const coupon = (redemptionId: string, planIds: string[] | null): CustomerCoupon => ({
      redemptionId,
      couponId: redemptionId,
      name: redemptionId,
      planIds,
      priceIds: null,
      discount: { type: 'percentage', percent: '10' },
      duration: { type: 'once' },
      subscriptionId: null,
      redeemedAt: START,
      invoiceIds: [],
      uses: [],
      removedAt: null,
    });
    const of = (...coupons: CustomerCoupon[]) =>
      migrationEffect(before, to(advance('new', '50')), now, { ...byTime, coupons });
    const moved = of(coupon('red_1', ['plan_2']));
    expect(moved).toMatchObject({ proration: '7.50', couponUses: [{ redemptionId: 'red_1' }] });
    expect(of(coupon('red_1', [before.planId]))).toMatchObject({ proration: '10.00', couponUses: [] });
    expect(
      of({ ...coupon('red_1', null), invoiceIds: ['inv_1'], uses: [{ invoiceId: 'inv_1' }] }),
    ).toMatchObject({ couponUses: [] });
  });

  it('prorates nothing at the end of a period, except fees with longer periods', () => {
    const atPeriodEnd = { at, atPeriodEnd: true };
    const monthly = subscribed(advance('old', '30'));
    expect(migrationEffect(monthly, to(advance('new', '50')), atPeriodEnd, byTime)).toMatchObject({
      currentAmount: '30.00',
      newAmount: '50.00',
      proration: '0.00',
      couponUses: [],
    });
    const yearly = (amount: string) => advance(`year of ${amount}`, amount, { cadence: 'annual' });
    const longer = subscribed(advance('old', '30'), yearly('365'));
    // 334 of 365 days are left on 1 April.
    const more = to(advance('new', '50'), yearly('730'));
    expect(migrationEffect(longer, more, atPeriodEnd, byTime)).toMatchObject({ proration: '334.00' });
    const without = to(advance('new', '50'));
    expect(migrationEffect(longer, without, atPeriodEnd, byTime)).toMatchObject({ proration: '-334.00' });
  });

  it('says that it is not certain where units go', () => {
    const perUnit = (priceId: string, unitPrice: string) =>
      advance(priceId, '0', { config: { model: 'unit', unitPrice, currency: 'USD' } });
    const ten = fold(
      subscriptionDecider,
      subscriptionDecider.decide(
        create([perUnit('seat', '10')], { startsAt: START, at: START, quantities: { seat: '10' } }),
        undefined,
      ),
    )!;
    const two = to(perUnit('member', '12'), perUnit('guest', '2'));
    expect(migrationEffect(ten, two, now, byTime)).toMatchObject({
      newAmount: '100.00',
      problem: { code: 'price_map_required' },
    });
    expect(migrationEffect(ten, { ...two, priceMap: { seat: 'member' } }, now, byTime)).toMatchObject({
      newAmount: '122.00',
      problem: null,
    });
  });

  it('says why a subscription could not be moved, and then keeps the present amounts', () => {
    const before = subscribed(advance('old', '30'));
    expect(
      migrationEffect(before, { plan: plan(advance('old', '30')), priceMap: {} }, now, byTime),
    ).toMatchObject({
      newAmount: '30.00',
      proration: '0.00',
      problem: { code: 'nothing_to_amend' },
    });
  });

  it('adds up by currency', () => {
    const effect = migrationEffect(subscribed(advance('old', '30')), to(advance('new', '50')), now, byTime);
    const yen = { ...effect, currency: 'JPY', currentAmount: '100', newAmount: '90', proration: '-5' };
    expect(totalEffects([effect, yen, effect])).toEqual([
      {
        currency: 'USD',
        subscriptionCount: 2,
        currentAmount: '60.00',
        newAmount: '100.00',
        proration: '20.00',
      },
      { currency: 'JPY', subscriptionCount: 1, currentAmount: '100', newAmount: '90', proration: '-5' },
    ]);
  });
});
