import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel/system';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { vocabulary } from '#libs/manifest';
import { commandContext, startStorage, type TestStorage } from '../../../../test/support/index.js';
import { couponDecider } from '../coupon.js';
import { Coupons } from '../coupons.js';
import { ApplyCoupon, ApplyCouponHandler, type CouponTarget } from './apply-coupon.js';
import { RemoveCoupon, RemoveCouponHandler } from './remove-coupon.js';

const couponId = 'WELCOME';
let storage: TestStorage;
let aggregates: AggregateStore;
let coupons: Coupons;
let workspaceId: string;
let customerId: string;

beforeAll(async () => {
  storage = await startStorage(vocabulary());
});
afterAll(async () => storage?.stop());
beforeEach(async () => {
  workspaceId = `acc_${newUlid()}`;
  customerId = `cust_${newUlid()}`;
  aggregates = new AggregateStore(storage.client, storage.newCodec());
  coupons = new Coupons(aggregates);
  await createCoupon();
});

describe('a coupon that is applied again with the same key', () => {
  it('is the same one, counted once', async () => {
    const context = newContext();
    const first = await apply(context);
    expect(await apply(context)).toEqual(first);
    expect(await held()).toEqual([first.redemptionId]);
    expect(await redemptions()).toBe(1);
  });

  it('is applied and counted again after it was taken back, such as when another coupon was refused', async () => {
    const context = newContext();
    const target = { subscriptionId: 'sub_1', planId: 'plan_1' };
    await coupons.undoApplication(context, customerId, await apply(context, target));
    expect([await held(), await redemptions()]).toEqual([[], 0]);

    const again = await apply(context, target);
    expect(await held()).toEqual([again.redemptionId]);
    expect(await redemptions()).toBe(1);

    await coupons.undoApplication(context, customerId, again);
    expect([await held(), await redemptions()]).toEqual([[], 0]);
  });

  it('is counted when it can be applied, even if a refusal had withdrawn its redemption', async () => {
    const first = await apply(newContext());
    const context = newContext();
    await expect(apply(context)).rejects.toMatchObject({ code: 'coupon_already_applied' });
    expect(await redemptions()).toBe(1);
    await remove(first.redemptionId);

    const second = await apply(context);
    expect(await held()).toEqual([second.redemptionId]);
    expect(await redemptions()).toBe(2);
  });
});

/** Creates the coupon that the tests apply: 10 % off one invoice. */
async function createCoupon(): Promise<void> {
  const context = newContext();
  await aggregates.execute(couponDecider, aggregateId(workspaceId, couponId), context, {
    type: 'CreateCoupon',
    at: context.now,
    details: {
      couponId,
      name: 'Welcome',
      discount: { type: 'percentage', percent: '10' },
      duration: { type: 'once' },
      planIds: null,
      priceIds: null,
      maxRedemptions: null,
      expiresAt: null,
    },
  });
}

function newContext(): CommandContext {
  return commandContext({ workspaceId });
}

function apply(context: CommandContext, subscription: CouponTarget['subscription'] = null) {
  const command = new ApplyCoupon(context, couponId, { customerId, subscription });
  return new ApplyCouponHandler(aggregates, coupons).execute(command);
}

function remove(redemptionId: string) {
  const command = new RemoveCoupon(newContext(), redemptionId, { customerId, subscriptionId: null });
  return new RemoveCouponHandler(aggregates).execute(command);
}

/** How often the coupon has been redeemed. */
async function redemptions(): Promise<number> {
  return (await aggregates.load(couponDecider, aggregateId(workspaceId, couponId)))!.redemptions;
}

/** The customer's redemptions. */
async function held(): Promise<string[]> {
  return (await coupons.ofCustomer(workspaceId, customerId)).map(({ redemptionId }) => redemptionId);
}
