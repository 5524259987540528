import { describe, expect, it } from '@jest/globals';
import type { UsableCustomerCoupon } from '#libs/contexts/coupons';
import type { Bill } from '#libs/contexts/subscriptions';
import { withCarriedCoupons, applicableCoupons, couponInvoiceOf } from './applicable-coupons.js';

const april = { periodStart: '2026-04-01T00:00:00.000Z', periodEnd: '2026-05-01T00:00:00.000Z' };
const mid = '2026-04-16T00:00:00.000Z';

const percent: UsableCustomerCoupon['discount'] = { type: 'percentage', percent: '10' };
const fixed: UsableCustomerCoupon['discount'] = { type: 'fixed', amount: '5.00', currency: 'USD' };
const coupon = (more: Partial<UsableCustomerCoupon> = {}): UsableCustomerCoupon => ({
  redemptionId: 'red_1',
  couponId: 'WELCOME',
  name: 'Welcome',
  discount: percent,
  duration: { type: 'forever' },
  planIds: null,
  priceIds: null,
  subscriptionId: null,
  redeemedAt: april.periodStart,
  invoiceIds: [],
  uses: [],
  removedAt: null,
  endsAt: null,
  ...more,
});
const bill = (subscriptionId: string, more: Partial<Bill> = {}): Bill =>
  ({ invoiceId: 'inv_1', subscriptionId, kind: 'amendment', billedAt: mid, ...april, ...more }) as Bill;
const plans = new Map([
  ['sub_1', 'plan_1'],
  ['sub_2', 'plan_2'],
]);
const terms = (bills: Bill[], usable: UsableCustomerCoupon[], before: Bill[] = []) =>
  applicableCoupons(bills, usable, plans, () => before);
const both = [bill('sub_1'), bill('sub_2')];
const said = { redemptionId: 'red_1', couponId: 'WELCOME', name: 'Welcome', discount: percent };

describe('the invoice of bills, for the uses of coupons', () => {
  const subscription = {
    subscriptionId: 'sub_1',
    anchor: '2026-01-01T00:00:00.000Z',
    timezone: 'Europe/Berlin',
    billingInterval: 'monthly' as const,
  };
  const startFor = (billedAt: string) =>
    couponInvoiceOf([bill('sub_1', { billedAt })], [subscription]).periods.map(({ start }) => start);

  it('falls in the billing period of its time, and at a boundary in the period that begins', () => {
    expect(startFor('2026-01-01T00:00:00.000Z')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(startFor('2026-01-21T12:00:00.000Z')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(startFor('2026-02-01T00:00:00.000Z')).toEqual(['2026-02-01T00:00:00.000Z']);
  });
});

describe('a coupon', () => {
  it('discounts the whole invoice, or the lines of its subscriptions', () => {
    expect(terms(both, [coupon()])).toStrictEqual([said]);
    expect(terms(both, [coupon({ priceIds: ['price_1'] })])).toStrictEqual([
      { ...said, priceIds: ['price_1'] },
    ]);
    expect(terms(both, [coupon({ subscriptionId: 'sub_2' })])).toStrictEqual([
      { ...said, subscriptionIds: ['sub_2'] },
    ]);
    expect(terms([bill('sub_2')], [coupon({ subscriptionId: 'sub_2' })])).toStrictEqual([said]);
    expect(terms([bill('sub_1')], [coupon({ subscriptionId: 'sub_2' })])).toEqual([]);
  });

  it('for some plans discounts only subscriptions to these plans', () => {
    const ofPlan = coupon({ planIds: ['plan_2'] });
    expect(terms(both, [ofPlan])).toEqual([{ ...said, subscriptionIds: ['sub_2'] }]);
    expect(terms([bill('sub_9')], [ofPlan])).toEqual([]);
    const moved = bill('sub_1', { consolidated: { planId: 'plan_2', planName: 'Team' } });
    expect(terms([moved], [ofPlan])).toEqual([said]);
    // A coupon that the invoice has used still applies, even if the plan has changed.
    const used = coupon({ planIds: ['plan_9'], invoiceIds: ['inv_1'] });
    expect(terms([bill('sub_1')], [used])).toEqual([said]);
    expect(terms([moved], [used])).toEqual([]);
    expect(terms([bill('sub_1', { invoiceId: 'inv_2' })], [used])).toEqual([]);
  });

  it('does not apply before the end of a period', () => {
    expect(terms([bill('sub_1', { kind: 'progressive' })], [coupon()])).toEqual([]);
    expect(terms([bill('sub_1'), bill('sub_2', { kind: 'progressive' })], [coupon()])).toEqual([]);
  });

  it('with a fixed amount applies once in a period', () => {
    const used = coupon({ discount: fixed, invoiceIds: ['inv_0'] });
    const earlier = (billedAt: string) => [bill('sub_1', { invoiceId: 'inv_0', billedAt, kind: 'cycle' })];
    const counts = (kind: Bill['kind'], billedAt: string, of = used) =>
      terms([bill('sub_1', { kind })], [of], earlier(billedAt)).length === 1;
    expect(counts('amendment', '2026-04-10T00:00:00.000Z')).toBe(false);
    expect(counts('cycle', '2026-04-10T00:00:00.000Z')).toBe(false);
    // A use at the beginning of the period counts for changes within the period, but not for the bill at its end.
    expect(counts('amendment', april.periodStart)).toBe(false);
    expect(counts('cycle', april.periodStart)).toBe(true);
    expect(counts('amendment', '2026-03-01T00:00:00.000Z')).toBe(true);
    expect(counts('amendment', '2026-04-10T00:00:00.000Z', coupon({ invoiceIds: ['inv_0'] }))).toBe(true);
    expect(counts('amendment', '2026-04-10T00:00:00.000Z', coupon({ discount: fixed }))).toBe(true);
    const here = coupon({ discount: fixed, invoiceIds: ['inv_0', 'inv_1'] });
    expect(counts('amendment', '2026-04-10T00:00:00.000Z', here)).toBe(true);
  });

  it('that still applies replaces its carried discount', () => {
    const carried = (redemptionId: string) => ({
      ...said,
      redemptionId,
      discount: fixed,
      carriedFrom: 'inv_0',
    });
    const [first, second] = [said, { ...said, redemptionId: 'red_2' }];
    expect(withCarriedCoupons([first, second], [carried('red_1'), carried('red_3')])).toEqual([
      first,
      second,
      carried('red_3'),
    ]);
    expect(withCarriedCoupons([], [carried('red_1')])).toEqual([carried('red_1')]);
  });
});
