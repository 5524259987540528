import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import { newUlid } from '#libs/kernel/system';
import { Coupons, customerCouponsDecider } from '#libs/contexts/coupons';
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
import type { PricedBills } from '../price/priced-bills.js';
import { CouponUses } from './coupon-uses.js';

let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;

const workspaceId = 'acc_1';
const bill = { customerId: 'cust_1', invoiceId: 'inv_1' };
const newContext = (): CommandContext => ({
  commandId: newUlid(),
  workspaceId,
  actor: { type: 'api_key', id: 'key_1' },
  correlationId: 'request-1',
  causationId: null,
  now: '2026-01-01T00:00:00.000Z',
  mayRepeat: true,
});

beforeAll(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
  pool = createPool(database);
});
afterAll(async () => {
  await client?.dispose();
  await node?.close();
  await pool?.end();
  await database?.drop();
});

describe('the uses of coupons on a bill', () => {
  it('are counted also for a coupon that came between a crash and the repetition', async () => {
    const aggregates = new AggregateStore(client, new EventCodec(new PersonalDataVault(pool), vocabulary()));
    const coupons = new Coupons(aggregates);
    const apply = (redemptionId: string) =>
      aggregates.execute(customerCouponsDecider, aggregateId(workspaceId, bill.customerId), newContext(), {
        type: 'ApplyCoupon',
        customerId: bill.customerId,
        redemption: {
          ...{ redemptionId, couponId: redemptionId, name: 'Welcome' },
          ...{ discount: { type: 'percentage', percent: '10' }, duration: { type: 'once' } },
          ...{ planIds: null, priceIds: null, subscriptionId: null, redeemedAt: newContext().now },
        },
      });
    /** As pricing has it: all that the customer has takes something off. */
    const price = async () => {
      const held = await coupons.ofCustomer(workspaceId, bill.customerId);
      return {
        discounts: held.map(({ redemptionId: couponId }) => ({ couponId })),
        terms: { coupons: held },
      } as unknown as PricedBills;
    };
    const uses = new CouponUses(coupons);
    const task = newContext();

    await apply('red_1');
    await uses.priceAndReserve(task, bill, price);
    await apply('red_2');
    await uses.priceAndReserve(task, bill, price);

    expect(
      (await coupons.ofCustomer(workspaceId, bill.customerId)).map(({ invoiceIds }) => invoiceIds),
    ).toEqual([['inv_1'], ['inv_1']]);
  });
});
