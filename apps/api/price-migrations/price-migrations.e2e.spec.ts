import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DueChangeApplier } from '#libs/contexts/billing';
import { PriceMigrationProcess } from '#libs/contexts/price-migrations';
import { jumpClock } from '../../../test/support/invoicing.js';
import {
  advanceClock,
  createPool,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  requestsOf,
  startSystem,
  subscribe,
  type System,
  type TestWorkspace,
  use,
} from '../../../test/support/index.js';
import { until } from '../../../test/support/until.js';

const START = '2026-04-01T00:00:00.000Z';
const HALF = '2026-04-16T00:00:00.000Z';
const END = '2026-05-01T00:00:00.000Z';
/** So soon after that the same is left of the month, in cents. */
const SOON = '2026-04-16T00:00:00.001Z';

let system: System;
let workspace: TestWorkspace;
let fromPlanId: string;
let toPlanId: string;

beforeAll(async () => {
  system = await startSystem();
});
beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, START);
  fromPlanId = await createPlan(workspace, fee('Old', 30, { timing: 'in_advance' }));
  toPlanId = await createPlan(workspace, fee('New', 50, { timing: 'in_advance' }));
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => system?.stop());

const { get, post, patch, invoicesOf } = requestsOf(() => workspace);
const schedule = (more: object = {}) =>
  post(
    '/v1/price-migrations',
    { name: 'Prices of May', fromPlanId, toPlanId, effectiveAt: HALF, ...more },
    201,
  );
/** Subscribes so many customers to the old plan. */
const customers = (count: number) =>
  Promise.all(Array.from({ length: count }, () => subscribe(workspace, fromPlanId)));
const planOf = async (subscriptionId: string) => (await get(`/v1/subscriptions/${subscriptionId}`)).planId;

describe('POST /v1/price-migrations/preview', () => {
  it('shows the effect on each customer and on all, and changes nothing', async () => {
    const [first, second] = await customers(3);
    await advanceClock(workspace, HALF);
    const all = await post('/v1/price-migrations/preview', { fromPlanId, toPlanId });
    const effect = { currency: 'USD', currentAmount: 30, newAmount: 50, proration: 10 };
    expect(all).toMatchObject({ subscriptions: 3 });
    expect(all.totals).toEqual([
      { currency: 'USD', subscriptions: 3, currentAmount: 90, newAmount: 150, proration: 30 },
    ]);
    expect(all.customers).toContainEqual({ ...effect, ...first, code: null, message: null });
    const customerIds = [second!.customerId];
    const one = await post('/v1/price-migrations/preview', { fromPlanId, toPlanId, customerIds });
    expect(one.customers).toEqual([{ ...effect, ...second, code: null, message: null }]);
    expect(await planOf(first!.subscriptionId)).toBe(fromPlanId);
    expect(await get('/v1/price-migrations')).toEqual({ data: [], hasMore: false });
  });

  it('gives back what was paid after coupons, and takes off what they still do, as the migration bills it', async () => {
    const coupon = (id: string, more: object) =>
      post('/v1/coupons', { id, name: id, percentOff: 10, ...more }, 201);
    await coupon('ONCE', { duration: 'once' });
    await coupon('ALWAYS', { duration: 'forever', planIds: [fromPlanId, toPlanId] });
    await coupon('TWICE', { duration: 'repeating', durationInInvoices: 2 });
    const bought = (...coupons: string[]) => subscribe(workspace, fromPlanId, { subscription: { coupons } });
    const subscribed = [await bought('ONCE'), await bought('ALWAYS'), await bought('ONCE', 'TWICE')];
    await advanceClock(workspace, HALF);
    const shown = await post('/v1/price-migrations/preview', { fromPlanId, toPlanId });
    const prorations = Object.fromEntries(
      shown.customers.map((one: { customerId: string; proration: number }) => [
        one.customerId,
        one.proration,
      ]),
    );
    // Of 30 were paid 27, 27 and 24.30; half of it is given back. Of the 25 that are charged, a tenth goes off where that still counts, and
    // the unused 1.50 of a coupon that is spent.
    expect(subscribed.map(({ customerId }) => prorations[customerId])).toEqual([10, 9, 9]);
    expect(shown.totals).toMatchObject([{ proration: 28 }]);
    await schedule({ effectiveAt: SOON });
    await advanceClock(workspace, SOON);
    for (const { customerId } of subscribed) {
      const { total } = (await invoicesOf(customerId)).at(-1)!;
      expect(total).toBe(prorations[customerId]);
    }
  });

  it('shows what it would do as the periods end: a renewal settles nothing of the present ones', async () => {
    const [only] = await customers(1);
    await advanceClock(workspace, HALF);
    const shown = await post('/v1/price-migrations/preview', {
      fromPlanId,
      toPlanId,
      effectiveAt: 'period_end',
    });
    expect(shown.customers).toMatchObject([{ ...only, currentAmount: 30, newAmount: 50, proration: 0 }]);
    await post('/v1/price-migrations/preview', { fromPlanId, toPlanId, effectiveAt: 'soon' }, 400);
  });

  it('names what is wrong', async () => {
    const refused = async (body: object, status: number, code: string) =>
      expect(
        await post('/v1/price-migrations/preview', { fromPlanId, toPlanId, ...body }, status),
      ).toMatchObject({ code });
    await refused({ toPlanId: fromPlanId }, 400, 'validation_failed');
    await refused({ toPlanId: 'plan_x' }, 404, 'plan_not_found');
    await refused({ customerIds: ['cust_x'] }, 404, 'customer_not_found');
    await refused({ customerIds: [] }, 400, 'validation_failed');
    const many = Array.from({ length: 10_000 }, (_, n) => `cust_${n}`);
    await refused({ customerIds: many }, 404, 'customer_not_found');
    await refused({ customerIds: [...many, 'one_more'] }, 400, 'validation_failed');
  });

  it('reads as many customers with ids as long as the contract allows', async () => {
    const customerIds = Array.from({ length: 10_000 }, (_, n) => `cust_${n}`.padEnd(128, 'x'));
    const body = { fromPlanId, toPlanId, customerIds };
    expect(await post('/v1/price-migrations/preview', body, 404)).toMatchObject({
      code: 'customer_not_found',
    });
    // They do not fit into the event of a scheduled migration, and the answer says so.
    const scheduled = { ...body, name: 'Everybody', effectiveAt: HALF };
    expect(await post('/v1/price-migrations', scheduled, 400)).toMatchObject({
      details: [{ field: 'customerIds', message: expect.stringContaining('at most 900000 characters') }],
    });
  });
});

describe('a price migration', () => {
  it('moves everybody on the plan when its time comes, in batches, and says what became of each', async () => {
    const subscribed = await customers(28);
    const ended = subscribed[0]!.subscriptionId;
    const migration = await schedule();
    expect(migration).toMatchObject({
      status: 'scheduled',
      scheduledBy: { type: 'api_key', id: expect.any(String) },
      progress: { total: null, processed: 0 },
    });
    await post(`/v1/subscriptions/${ended}/cancel`, { immediately: true });
    await advanceClock(workspace, HALF);
    const done = await get(`/v1/price-migrations/${migration.id}`);
    expect(done).toMatchObject({
      status: 'completed',
      startedAt: HALF,
      finishedAt: HALF,
      progress: { total: 27, processed: 27, migrated: 27, skipped: 0, failed: 0 },
    });
    const { data } = await get(`/v1/price-migrations/${migration.id}/customers?status=migrated&limit=1000`);
    expect(new Set(data.map(({ subscriptionId }: { subscriptionId: string }) => subscriptionId))).toEqual(
      new Set(subscribed.slice(1).map(({ subscriptionId }) => subscriptionId)),
    );
    const invoice = await get(`/v1/invoices/${data[0].invoiceId}`);
    expect(invoice.lines.map(({ amount }: { amount: number }) => amount)).toEqual([-15, 25]);
    const { data: amendments } = await get(`/v1/subscriptions/${data[0].subscriptionId}/amendments`);
    expect(amendments).toMatchObject([{ type: 'price_migration', status: 'applied', effectiveAt: HALF }]);
    expect(await planOf(ended)).toBe(fromPlanId);
    const { data: audit } = (
      await workspace.session.get('/v1/audit?action=price_migration.scheduled').expect(200)
    ).body;
    expect(audit).toMatchObject([{ resourceId: migration.id, actor: migration.scheduledBy }]);
  });

  it('is limited to some customers', async () => {
    const [first, second, third] = await customers(3);
    const customerIds = [first!.customerId, third!.customerId];
    const migration = await schedule({ customerIds });
    await advanceClock(workspace, HALF);
    expect(await get(`/v1/price-migrations/${migration.id}`)).toMatchObject({
      customerIds,
      status: 'completed',
      progress: { total: 2, migrated: 2 },
    });
    expect(await planOf(first!.subscriptionId)).toBe(toPlanId);
    expect(await planOf(second!.subscriptionId)).toBe(fromPlanId);
    const [listed] = (await get('/v1/price-migrations')).data;
    expect(listed).toMatchObject({ id: migration.id, customerCount: 2 });
    expect(listed).not.toHaveProperty('customerIds');
  });

  it('knows its customers by their streams, however far the read model is', async () => {
    const [only] = await customers(1);
    const customerIds = [only!.customerId];
    const pool = createPool(system.database);
    await pool.query('DELETE FROM read.customers WHERE id = $1', customerIds);
    await pool.end();
    expect(await schedule({ customerIds })).toMatchObject({ customerIds });
    const unknown = { name: 'Whose?', fromPlanId, toPlanId, effectiveAt: HALF, customerIds: ['cust_x'] };
    expect(await post('/v1/price-migrations', unknown, 404)).toMatchObject({ code: 'customer_not_found' });
  });

  it('says whom it could not move, and why', async () => {
    const [only] = await customers(1);
    const { id } = await schedule();
    // By then there is no such plan any more.
    await workspace.http.delete(`/v1/plans/${toPlanId}`).expect(204);
    await advanceClock(workspace, HALF);
    expect(await get(`/v1/price-migrations/${id}`)).toMatchObject({
      status: 'completed_with_errors',
      progress: { total: 1, migrated: 0, failed: 1 },
    });
    expect(await get(`/v1/price-migrations/${id}/customers?status=failed`)).toEqual({
      hasMore: false,
      data: [
        { ...only, status: 'failed', invoiceId: null, code: 'plan_not_found', message: expect.any(String) },
      ],
    });
  });

  it('counts a subscription as moved if only the invoice of its move must wait', async () => {
    const bySql = (sql: string) => ({ aggregation: { type: 'sql' }, sql });
    const metric = { name: 'Shares', eventName: 'share', ...bySql(`sum(1 / number(properties->'n'))`) };
    const { id: metricId } = await post('/v1/metrics', metric, 201);
    fromPlanId = await createPlan(workspace, perUnit('Shares', metricId, 1));
    const { customerId } = await subscribe(workspace, fromPlanId);
    await use(workspace, customerId, 'share', START, { n: 0 });
    const { id } = await schedule({ effectiveAt: 'period_end' });
    await advanceClock(workspace, HALF);
    billOnlyAfterMigration();
    await jumpClock(system, workspace, END);
    expect(await finished(id)).toMatchObject({
      status: 'completed',
      progress: { migrated: 1, failed: 0 },
    });

    await patch(`/v1/metrics/${metricId}`, bySql('count(*)'));
    await advanceClock(workspace, END);
    const { data } = await get(`/v1/price-migrations/${id}/customers?status=migrated`);
    expect((await invoicesOf(customerId)).map((invoice) => invoice.id)).toEqual([data[0].invoiceId]);
  });

  it('moves the units with the fees, as `priceMap` says, and leaves out whose units would be lost', async () => {
    const seat = (name: string, unitPrice: number) =>
      ({ name, config: { model: 'unit', unitPrice, currency: 'USD' }, timing: 'in_advance' }) as const;
    const oldPlan = await createPlan(workspace, seat('Seat', 10));
    const newPlan = await createPlan(workspace, seat('Member', 12), seat('Guest', 2));
    const {
      subscriptionId,
      prices: [{ priceId }],
    } = await tenSeats(oldPlan);
    const plans = { fromPlanId: oldPlan, toPlanId: newPlan };
    expect((await post('/v1/price-migrations/preview', plans)).customers).toMatchObject([
      { subscriptionId, newAmount: 100, code: 'price_map_required' },
    ]);
    const { id: refused } = await schedule(plans);
    await advanceClock(workspace, HALF);
    expect(await get(`/v1/price-migrations/${refused}/customers?status=failed`)).toMatchObject({
      data: [{ subscriptionId, code: 'price_map_required' }],
    });
    const { prices } = await get(`/v1/plans/${newPlan}`);
    const member = prices[0].priceId;
    const priceMap = { [priceId]: member };
    expect((await post('/v1/price-migrations/preview', { ...plans, priceMap })).customers).toMatchObject([
      { newAmount: 122, code: null },
    ]);
    await post(
      '/v1/price-migrations',
      { name: 'x', ...plans, effectiveAt: END, priceMap: { [priceId]: priceId } },
      400,
    );
    const migration = await schedule({ ...plans, effectiveAt: END, priceMap });
    expect(migration.priceMap).toEqual(priceMap);
    await advanceClock(workspace, END);
    expect((await get(`/v1/subscriptions/${subscriptionId}`)).prices).toMatchObject([
      { name: 'Member', quantity: 10 },
      { name: 'Guest', quantity: 1 },
    ]);
  });

  it('goes on without a subscription whose move fails again and again', async () => {
    const [broken, other] = await customers(2);
    const { id } = await schedule();
    const process = system.saga.get(PriceMigrationProcess, { strict: false });
    const perform = process.perform.bind(process);
    jest.spyOn(process, 'perform').mockImplementation((task) => perform({ ...task, attempt: 20 }));
    const cycles = system.saga.get(DueChangeApplier, { strict: false });
    const apply = cycles.applyDueChanges.bind(cycles);
    jest.spyOn(cycles, 'applyDueChanges').mockImplementation((context, subscriptionId) => {
      if (subscriptionId === broken!.subscriptionId) throw new Error('The subscription has a fault');
      return apply(context, subscriptionId);
    });
    await advanceClock(workspace, HALF);
    expect(await get(`/v1/price-migrations/${id}`)).toMatchObject({
      status: 'completed_with_errors',
      progress: { total: 2, migrated: 1, failed: 1 },
    });
    const { data } = await get(`/v1/price-migrations/${id}/customers?status=failed`);
    expect(data).toMatchObject([{ ...broken, code: 'internal_error' }]);
    expect(data[0].message).not.toContain('fault');
    expect(await planOf(other!.subscriptionId)).toBe(toPlanId);
  });

  it('can be canceled before it takes effect', async () => {
    const [only] = await customers(1);
    const { id } = await schedule();
    expect(await post(`/v1/price-migrations/${id}/cancel`)).toMatchObject({ status: 'canceled' });
    expect(await post(`/v1/price-migrations/${id}/cancel`, {}, 409)).toMatchObject({
      code: 'migration_not_scheduled',
    });
    await advanceClock(workspace, HALF);
    expect(await planOf(only!.subscriptionId)).toBe(fromPlanId);
    await post(
      '/v1/price-migrations',
      { name: 'Late', fromPlanId, toPlanId, effectiveAt: '2026-01-01T00:00:00Z' },
      400,
    );
    await post('/v1/price-migrations', { name: 'When?', fromPlanId, toPlanId }, 400);
  });
});

/** Holds the tasks of billing that apply due changes until the price migration has applied some. */
function billOnlyAfterMigration(): void {
  const cycles = system.saga.get(DueChangeApplier, { strict: false });
  const apply = cycles.applyDueChanges.bind(cycles);
  const applied = Promise.withResolvers<void>();
  jest.spyOn(cycles, 'applyDueChanges').mockImplementation(async (context, ...call) => {
    if (context.actor.id !== 'price-migrations') await applied.promise;
    return apply(context, ...call).finally(applied.resolve);
  });
}

/** Asks for the migration until it is finished. */
/** Subscribes a customer to ten units of the only price of a plan. */
async function tenSeats(planId: string) {
  const { prices } = await get(`/v1/plans/${planId}`);
  const quantities = [{ priceId: prices[0].priceId, quantity: 10 }];
  const { subscriptionId } = await subscribe(workspace, planId, { subscription: { quantities } });
  return { ...(await get(`/v1/subscriptions/${subscriptionId}`)), subscriptionId };
}

async function finished(migrationId: string) {
  return until(
    () => get(`/v1/price-migrations/${migrationId}`),
    ({ finishedAt }) => finishedAt !== null,
  );
}
