import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Coupons, customerCouponsDecider } from '#libs/contexts/coupons';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { vocabulary } from '#libs/manifest';
import { commandContext, startStorage, type TestStorage } from '../../../../test/support/index.js';
import type { Bill } from '#libs/contexts/subscriptions';
import type { BillingTermsFinder } from '../price/billing-terms-finder.js';
import type { PricedBills } from '../price/priced-bills.js';
import { CouponReserver } from './coupon-reserver.js';

const workspaceId = 'acc_1';
const bill = { customerId: 'cust_1', invoiceId: 'inv_1' } as Bill;
const couponInvoice = async () => ({
  invoiceId: bill.invoiceId,
  at: '2026-01-01T00:00:00.000Z',
  timezone: 'UTC',
  periods: [{ subscriptionId: 'sub_1', start: '2026-01-01T00:00:00.000Z' }],
});
const newContext = () => commandContext({ workspaceId, mayRepeat: true });
let storage: TestStorage;

beforeAll(async () => {
  storage = await startStorage(vocabulary());
});
afterAll(async () => storage?.stop());

describe('the uses of coupons on a bill', () => {
  it('are also counted for a coupon that was added between a crash and the repetition', async () => {
    const aggregates = new AggregateStore(storage.client, storage.newCodec());
    const coupons = new Coupons(aggregates);
    const apply = (redemptionId: string) =>
      aggregates.execute(customerCouponsDecider, aggregateId(workspaceId, bill.customerId), newContext(), {
        type: 'ApplyCoupon',
        customerId: bill.customerId,
        redemption: {
          redemptionId,
          couponId: redemptionId,
          name: 'Welcome',
          discount: { type: 'percentage', percent: '10' },
          duration: { type: 'once' },
          planIds: null,
          priceIds: null,
          subscriptionId: null,
          redeemedAt: newContext().now,
        },
      });
    /** A price function in which every coupon of the customer discounts something. */
    const price = async () => {
      const held = await coupons.ofCustomer(workspaceId, bill.customerId);
      return {
        discounts: held.map(({ redemptionId: couponId }) => ({ couponId })),
        terms: { coupons: held },
      } as unknown as PricedBills;
    };
    const uses = new CouponReserver(coupons, { couponInvoice } as unknown as BillingTermsFinder);
    const task = newContext();

    await apply('red_1');
    await uses.priceAndReserveCoupons(task, [bill], price);
    await apply('red_2');
    await uses.priceAndReserveCoupons(task, [bill], price);

    expect(
      (await coupons.ofCustomer(workspaceId, bill.customerId)).map(({ invoiceIds }) => invoiceIds),
    ).toEqual([['inv_1'], ['inv_1']]);
  });
});
