import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import { newUlid } from '#libs/kernel/system';
import { AggregateStore, EventCodec, PersonalDataVault, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { vocabulary } from '#libs/manifest';
import {
  createMigratedDatabase,
  createPool,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../../test/support/index.js';
import { couponDecider } from '../coupon.js';
import { Coupons } from '../coupons.js';
import { ApplyCoupon, ApplyCouponHandler, type CouponTarget } from './apply-coupon.js';
import { RemoveCoupon, RemoveCouponHandler } from './remove-coupon.js';

const couponId = 'WELCOME';
const now = '2026-01-01T00:00:00.000Z';
let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;
let aggregates: AggregateStore;
let coupons: Coupons;
let workspaceId: string;
let customerId: string;

const newContext = (): CommandContext => ({
  commandId: newUlid(),
  workspaceId,
  actor: { type: 'api_key', id: 'key_1' },
  correlationId: 'request-1',
  causationId: null,
  now,
  mayRepeat: false,
});
const apply = (context: CommandContext, subscription: CouponTarget['subscription'] = null) =>
  new ApplyCouponHandler(aggregates, coupons).execute(
    new ApplyCoupon(context, couponId, { customerId, subscription }),
  );
const remove = (redemptionId: string) =>
  new RemoveCouponHandler(aggregates).execute(
    new RemoveCoupon(newContext(), redemptionId, { customerId, subscriptionId: null }),
  );
const redemptions = async (): Promise<number> =>
  (await aggregates.load(couponDecider, aggregateId(workspaceId, couponId)))!.redemptions;
const held = async (): Promise<string[]> =>
  (await coupons.ofCustomer(workspaceId, customerId)).map(({ redemptionId }) => redemptionId);

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
});

afterAll(async () => {
  await client?.dispose();
  await node?.close();
  await pool?.end();
  await database?.drop();
});

beforeEach(async () => {
  workspaceId = `acc_${newUlid()}`;
  customerId = `cust_${newUlid()}`;
  aggregates = new AggregateStore(client, new EventCodec(new PersonalDataVault(pool), vocabulary()));
  coupons = new Coupons(aggregates);
  await aggregates.execute(couponDecider, aggregateId(workspaceId, couponId), newContext(), {
    type: 'CreateCoupon',
    at: now,
    details: {
      ...{ couponId, name: 'Welcome', discount: { type: 'percentage', percent: '10' } },
      ...{ duration: { type: 'once' }, planIds: null, priceIds: null, maxRedemptions: null, expiresAt: null },
    },
  });
});

describe('a coupon that is applied again with the same key', () => {
  it('is the same one, counted once', async () => {
    const context = newContext();
    const first = await apply(context);
    expect(await apply(context)).toEqual(first);
    expect(await held()).toEqual([first.redemptionId]);
    expect(await redemptions()).toBe(1);
  });

  it('is applied and counted anew after it was taken back, as when another one beside it was refused', async () => {
    const context = newContext();
    const target = { subscriptionId: 'sub_1', planId: 'plan_1' };
    await coupons.takeBack(context, customerId, await apply(context, target));
    expect([await held(), await redemptions()]).toEqual([[], 0]);

    const again = await apply(context, target);
    expect(await held()).toEqual([again.redemptionId]);
    expect(await redemptions()).toBe(1);

    await coupons.takeBack(context, customerId, again);
    expect([await held(), await redemptions()]).toEqual([[], 0]);
  });

  it('is counted once it can be applied, though a refusal had withdrawn its count', async () => {
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
