import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import {
  advanceClock,
  chargedMetric,
  createMetric,
  createPlan,
  createPool,
  describeOfNode,
  fee,
  freezeClock,
  ledgerBalances,
  perUnit,
  recordedEvents,
  requestsOf,
  settle,
  startSystem,
  subscribe,
  use,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { SagaProcess } from '#apps/saga';
import { DecidedBills } from '#libs/contexts/billing';
import { inTransaction } from '#libs/kernel/postgres';
import { AggregateStore } from '#libs/kernel/event-store';
import { ReadModelProgress } from '#libs/kernel/projection';
import { aggregateId } from '#libs/kernel/domain';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { revenueAccrualDecider } from '../../libs/contexts/revenue/accruals/revenue-accrual.js';
import { RevenueProcess } from '../../libs/contexts/revenue/revenue.process.js';
import { holdWrites } from '../support/at-writes.js';
import { commandContext } from '../support/command-context.js';
import { jumpClock } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/* Usage is revenue of the month in which it is used, whenever it is invoiced. */

let system: System;
/** A workspace whose March is closed. */
let closed: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => system?.stop());

async function revenueOf(workspace: TestWorkspace, date: string) {
  const { revenue = 0, unbilled_receivables: unbilled = 0 } = await ledgerBalances(workspace, date);
  return { revenue: 0 - revenue, unbilled };
}

async function inDatabase(change: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = createPool(system.database);
  try {
    await change(pool);
  } finally {
    await pool.end();
  }
}

/** The figures of each closing, as the log has them. */
async function frozenFigures({ workspaceId }: TestWorkspace) {
  const events = await recordedEvents(system.node.url);
  const isOf = (metadata: unknown) => (metadata as { workspaceId: string }).workspaceId === workspaceId;
  return events
    .filter(({ type, metadata }) => type === 'RevenueMonthClosed' && isOf(metadata))
    .map(({ data }) => (data as { currencies: unknown }).currencies);
}

/** Lets nobody write to a table while the work is done. */
async function withHeldTable(table: string, work: () => Promise<void>): Promise<void> {
  await inDatabase((pool) =>
    inTransaction(pool, async (tx) => {
      await tx.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      await work();
    }),
  );
}

/** Resolves when a request waits for the read models. */
function nextWaitForReadModels(): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const readModels = system.api.get(ReadModelProgress, { strict: false });
  jest.spyOn(readModels, 'waitFor').mockImplementationOnce((...wanted) => {
    asked.resolve();
    return ReadModelProgress.prototype.waitFor.apply(readModels, wanted);
  });
  return asked.promise;
}

describe('usage that is not invoiced at the end of a month', () => {
  it('is revenue of that month, and is reversed when its invoice is opened', async () => {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-01-15T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(
      workspace,
      perUnit('Calls', metricId, 0.1),
      fee('Support', 31, { cadence: 'monthly', timing: 'in_arrears' }),
    );
    const { customerId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-01-31T12:00:00.000Z');
    await use(workspace, customerId, 'call', '2026-01-20T00:00:00Z', { n: 100 });
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 0, unbilled: 0 });

    // 100 × 0.10 of usage, and 17 of 31 days of the fee.
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 27, unbilled: 27 });
    await advanceClock(workspace, '2026-02-10T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-02-10')).toEqual({ revenue: 27, unbilled: 27 });

    await use(workspace, customerId, 'call', '2026-02-05T00:00:00Z', { n: 50 });
    await advanceClock(workspace, '2026-02-15T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-02-15')).toEqual({ revenue: 46, unbilled: 0 });
    // The fee is 31 for 15 February to 15 March, and 14 of 28 days have passed.
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-02-28')).toEqual({ revenue: 61.5, unbilled: 15.5 });
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 27, unbilled: 27 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is accrued month by month until a longer period ends, with what is missing to a minimum commitment', async () => {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(
      workspace,
      perUnit('Calls', metricId, 1),
      fee('Access', 90, { cadence: 'quarterly', timing: 'in_advance' }),
    );
    await workspace.http.patch(`/v1/plans/${planId}`, { minimumCommitment: 300 }).expect(200);
    await workspace.http.post(`/v1/plans/${planId}/publish`).expect(200);
    const { customerId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-01-21T00:00:00.000Z');
    await use(workspace, customerId, 'call', '2026-01-20T00:00:00Z', { n: 5 });
    await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
    // 103.33 of 300 are committed for 31 of 90 days. 31 of the fee and 5 of usage leave 67.33.
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 103.33, unbilled: 72.33 });
    await advanceClock(workspace, '2026-02-21T00:00:00.000Z');
    await use(workspace, customerId, 'call', '2026-02-20T00:00:00Z', { n: 7 });
    await advanceClock(workspace, '2026-03-02T00:00:00.000Z');
    // 196.67 are committed. 59 of the fee and 12 of usage leave 125.67.
    expect(await revenueOf(workspace, '2026-02-28')).toEqual({ revenue: 196.67, unbilled: 137.67 });
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    // 90 of the fee and 12 of usage leave 198, which the invoice of 1 April bills.
    expect(await revenueOf(workspace, '2026-03-31')).toEqual({ revenue: 300, unbilled: 210 });
    expect(await revenueOf(workspace, '2026-04-01')).toEqual({ revenue: 300, unbilled: 0 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is revenue of its month also if nothing ran at the ends of several months', async () => {
    const workspace = await system.workspace();
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(
      workspace,
      perUnit('Calls', metricId, 0.1),
      fee('Support', 31, { cadence: 'monthly', timing: 'in_arrears' }),
    );
    const customerId = 'late';
    await workspace.http.post('/v1/customers', { id: customerId, name: 'Late' }).expect(201);
    for (const [day, n] of [
      ['01-20', 100],
      ['02-05', 50],
      ['03-10', 30],
      ['04-01', 20],
    ] as const) {
      await freezeClock(workspace, `2026-${day}T00:00:00.000Z`);
      await use(workspace, customerId, 'call', `2026-${day}T00:00:00Z`, { n });
    }
    await freezeClock(workspace, '2026-01-15T00:00:00.000Z');
    await workspace.http.post('/v1/subscriptions', { customerId, planId }).expect(201);
    // The clock passes three ends of months and of periods, with nothing done at them, as it does while the saga is off.
    await inDatabase((pool) =>
      pool.query('UPDATE workspaces.clocks SET frozen_at = $2 WHERE workspace_id = $1', [
        workspace.workspaceId,
        '2026-04-20T00:00:00.000Z',
      ]),
    );
    // A month is closed while the saga catches up.
    const { body: march } = await workspace.http
      .post('/v1/revenue/generate', { period: '2026-03' })
      .expect(200);
    expect(march.data).toMatchObject([{ recognised: 35.5, unbilled: 97 }]);
    closed = workspace;
    await settle(workspace);

    // 10 of usage, and 17 of 31 days of the fee.
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 27, unbilled: 27 });
    // 5 of usage, the other 14 days, and 14 of the next 28 days.
    expect(await revenueOf(workspace, '2026-02-28')).toEqual({ revenue: 61.5, unbilled: 61.5 });
    // 3 of usage, the other 15.50, and 17 of the next 31 days.
    expect(await revenueOf(workspace, '2026-03-31')).toEqual({ revenue: 97, unbilled: 97 });
    // Three invoices were opened: 46, 34 and 33.
    expect(await revenueOf(workspace, '2026-04-20')).toEqual({ revenue: 113, unbilled: 0 });
    await advanceClock(workspace, '2026-05-01T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-04-30')).toEqual({ revenue: 129.53, unbilled: 16.53 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('has no inclusive tax, and includes overage of credits, and a draft until it is opened', async () => {
    const workspace = await system.workspace();
    const { http } = workspace;
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const vat = { name: 'VAT', percentage: 19, inclusive: true };
    const { body: rate } = await http.post('/v1/tax-rates', vat).expect(201);
    await http.put('/v1/billing-settings', { autoApprove: false, defaultTaxRateIds: [rate.id] }).expect(200);
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 1.19));
    const wallet = await chargedMetric(requestsOf(() => workspace).post)({
      overage: 'allow',
      unitPrice: 1.19,
    });
    const { customerId } = wallet;
    await http.post('/v1/subscriptions', { customerId, planId }).expect(201);
    await advanceClock(workspace, '2026-01-21T00:00:00.000Z');
    await wallet.use(20);
    await use(workspace, customerId, 'call', '2026-01-20T00:00:00Z', { n: 100 });

    // 119.00 with 19.00 of tax, and 10 credits at 1.19 with 0.19 of tax each.
    await advanceClock(workspace, '2026-03-02T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 110, unbilled: 110 });
    expect(await revenueOf(workspace, '2026-02-28')).toEqual({ revenue: 110, unbilled: 110 });
    const { body: drafts } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    const january = drafts.data.find((one: { total: number }) => one.total === 130.9);
    await advanceClock(workspace, '2026-03-10T00:00:00.000Z');
    await http.post(`/v1/invoices/${january.id}/approve`).expect(200);
    expect(await revenueOf(workspace, '2026-03-10')).toEqual({ revenue: 110, unbilled: 0 });
    await advanceClock(workspace, '2026-04-02T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-03-31')).toEqual({ revenue: 110, unbilled: 0 });
    const { data: contracts } = (await http.get('/v1/revenue/contracts?from=2026-01&to=2026-01').expect(200))
      .body;
    expect(contracts).toMatchObject([{ id: customerId, recognised: 110, unbilled: 110 }]);
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

describe('overage that arrives while the clock of a sandbox stands at the end of a month', () => {
  it('is of the next accrual, and the accrual of the month comes out again', async () => {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const wallet = await chargedMetric(requestsOf(() => workspace).post)({ overage: 'allow', unitPrice: 1 });
    await wallet.use(20);
    const endOfMonth = '2026-01-31T23:59:59.999Z';
    await advanceClock(workspace, endOfMonth);
    await wallet.use(6);
    await advanceClock(workspace, endOfMonth);
    await advanceClock(workspace, '2026-03-02T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-01-31')).toEqual({ revenue: 10, unbilled: 10 });
    expect(await revenueOf(workspace, '2026-02-28')).toEqual({ revenue: 13, unbilled: 13 });
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

describe('closing a month with a draft that waits for months', () => {
  it('measures the draft again, however old it is', async () => {
    const workspace = await system.workspace();
    const { http } = workspace;
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    await http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 0.1));
    const { customerId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    await use(workspace, customerId, 'call', '2026-01-20T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-07-02T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-06-30')).toEqual({ revenue: 10, unbilled: 10 });
    await http.post('/v1/revenue/generate', { period: '2026-06', skipEarlierMonths: true }).expect(200);
    expect(await revenueOf(workspace, '2026-06-30')).toEqual({ revenue: 10, unbilled: 10 });
  });
});

describe('the first month to close', () => {
  it('is the first one with postings, unless the request leaves the earlier months open for good', async () => {
    const workspace = await system.workspace();
    const { http } = workspace;
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'call', { type: 'sum', property: 'n' });
    const { customerId } = await subscribe(
      workspace,
      await createPlan(workspace, perUnit('Calls', metricId, 1)),
    );
    await use(workspace, customerId, 'call', '2026-01-01T00:00:00Z', { n: 5 });
    await advanceClock(workspace, '2026-04-02T00:00:00.000Z');
    const close = (body: object, status: number) => http.post('/v1/revenue/generate', body).expect(status);
    const { body: refused } = await close({ period: '2026-03' }, 409);
    expect(refused).toMatchObject({
      code: 'earlier_months_open',
      error: expect.stringMatching(/2026-01.*"skipEarlierMonths": true/),
    });
    await close({ period: '2026-01' }, 200);
    await close({ period: '2026-02', skipEarlierMonths: false }, 200);
    await close({ period: '2026-03' }, 200);

    const other = await system.workspace();
    await freezeClock(other, '2026-01-01T00:00:00.000Z');
    const monthly = await createPlan(other, fee('Access', 20));
    await subscribe(other, monthly);
    await advanceClock(other, '2026-04-02T00:00:00.000Z');
    await other.http.post('/v1/revenue/generate', { period: '2026-02' }).expect(409);
    await other.http.post('/v1/revenue/generate', { period: '2026-02', skipEarlierMonths: true }).expect(200);
    // A repetition changes nothing, and the option is of no use any more.
    await other.http.post('/v1/revenue/generate', { period: '2026-02' }).expect(200);
    await other.http.post('/v1/revenue/generate', { period: '2026-03' }).expect(200);
    await other.http.post('/v1/revenue/generate', { period: '2026-01' }).expect(409);
  });
});

describe('closing a month whose documents can have other time zones', () => {
  it('is refused until the month is over in every time zone, so that no later posting has a date in it', async () => {
    const workspace = await system.workspace();
    const { http } = workspace;
    const close = (status: number) => http.post('/v1/revenue/generate', { period: '2026-01' }).expect(status);
    await freezeClock(workspace, '2026-01-10T00:00:00.000Z');
    await http.put('/v1/billing-settings', { timezone: 'Pacific/Pago_Pago' }).expect(200);
    const planId = await createPlan(workspace, fee('Cover', 31, { timing: 'in_advance' }));
    const { customerId } = await subscribe(workspace, planId);
    await settle(workspace);
    await http.put('/v1/billing-settings', { timezone: 'Pacific/Kiritimati' }).expect(200);
    await advanceClock(workspace, '2026-02-01T10:59:00.000Z');
    await close(400);
    // In Pago Pago, the credit note is of 31 January.
    const { body: invoices } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    const reduction = { reason: 'service_issue', amount: 5 };
    await http.post(`/v1/invoices/${invoices.data[0].id}/credit-note`, reduction).expect(201);
    await settle(workspace);
    await advanceClock(workspace, '2026-02-01T12:00:00.000Z');
    await close(200);
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

/** A workspace with 100.00 of April's usage that arrives on 10 May and is billed on 1 June. April is closed, and it is 3 June. */
async function afterLateUsage() {
  const workspace = await system.workspace();
  const { http } = workspace;
  await freezeClock(workspace, '2026-04-01T00:00:00.000Z');
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(workspace, perUnit('Calls', metricId, 1));
  const { customerId } = await subscribe(workspace, planId);
  await advanceClock(workspace, '2026-05-02T00:00:00.000Z');
  await http.post('/v1/revenue/generate', { period: '2026-04' }).expect(200);
  await advanceClock(workspace, '2026-05-10T00:00:00.000Z');
  await use(workspace, customerId, 'call', '2026-04-16T00:00:00Z', { n: 100 });
  await advanceClock(workspace, '2026-06-03T00:00:00.000Z');
  return workspace;
}

describe('closing a month whose late usage the next invoice has billed meanwhile', () => {
  it('keeps it in the month in which it was accrued', async () => {
    const workspace = await afterLateUsage();
    const { http } = workspace;
    expect(await revenueOf(workspace, '2026-05-31')).toEqual({ revenue: 100, unbilled: 100 });
    const { body: may } = await http.post('/v1/revenue/generate', { period: '2026-05' }).expect(200);
    expect(may.data).toMatchObject([{ recognised: 100, unbilled: 100 }]);
    expect(await revenueOf(workspace, '2026-05-31')).toEqual({ revenue: 100, unbilled: 100 });
    expect(await revenueOf(workspace, '2026-06-03')).toEqual({ revenue: 100, unbilled: 0 });
    await advanceClock(workspace, '2026-07-02T00:00:00.000Z');
    const { body: june } = await http.post('/v1/revenue/generate', { period: '2026-06' }).expect(200);
    expect(june.data).toMatchObject([{ recognised: 0, unbilled: 0, billed: 100 }]);
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

describe('closing a month whose coupon the next invoice has used up meanwhile', () => {
  it('measures with the coupon, as the accrual did', async () => {
    const workspace = await system.workspace();
    const { http } = workspace;
    await freezeClock(workspace, '2026-05-01T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 1));
    const { customerId } = await subscribe(workspace, planId);
    const once = { id: 'ONCE', name: 'Once', percentOff: 20, duration: 'once' };
    await http.post('/v1/coupons', once).expect(201);
    await http.post(`/v1/customers/${customerId}/coupons`, { couponId: 'ONCE' }).expect(201);
    await advanceClock(workspace, '2026-05-20T00:00:00.000Z');
    await use(workspace, customerId, 'call', '2026-05-16T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-06-03T00:00:00.000Z');
    expect(await revenueOf(workspace, '2026-05-31')).toEqual({ revenue: 80, unbilled: 80 });
    const { body: may } = await http.post('/v1/revenue/generate', { period: '2026-05' }).expect(200);
    expect(may.data).toMatchObject([{ recognised: 80, unbilled: 80 }]);
  });
});

describe('closing a month of a sandbox without subscriptions', () => {
  it('keeps the clock from being set back into the month, but a refused closing does not', async () => {
    const { http } = await system.workspace();
    const setClock = (now: string) => http.put('/v1/sandbox/clock', { now });
    await setClock('2026-01-20T00:00:00.000Z').expect(200);
    await http.post('/v1/revenue/generate', { period: '2026-01' }).expect(400);
    await setClock('2026-02-02T00:00:00.000Z').expect(200);
    await http.post('/v1/revenue/generate', { period: '2026-01' }).expect(200);
    const { body } = await setClock('2026-01-20T00:00:00.000Z').expect(409);
    expect(body).toMatchObject({ code: 'clock_in_use', error: expect.stringContaining('closed month') });
  });

  it('is refused if the clock is set back into the month before it is kept from that', async () => {
    const { http } = await system.workspace();
    const setClock = (now: string) => http.put('/v1/sandbox/clock', { now }).expect(200);
    await setClock('2026-02-02T00:00:00.000Z');
    const clock = system.api.get(WorkspaceClock, { strict: false });
    jest.spyOn(clock, 'markInUse').mockImplementationOnce(async (workspaceId) => {
      await setClock('2026-01-20T00:00:00.000Z');
      return WorkspaceClock.prototype.markInUse.call(clock, workspaceId);
    });
    await http.post('/v1/revenue/generate', { period: '2026-01' }).expect(400);
  });
});

describeOfNode('closing a month while the saga accrues it', () => {
  /** A workspace with 10.00 of usage in March, which has passed. The saga's accrual of it waits at the event store, as do these types. */
  async function afterMarch(...heldTypes: string[]) {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-03-05T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 1));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-03-26T00:00:00.000Z');
    const call = (n: number) => use(workspace, customerId, 'call', '2026-03-20T00:00:00Z', { n });
    await call(10);
    await settle(workspace);
    const held = holdWrites('RevenueAccrued', ...heldTypes);
    await jumpClock(system, workspace, '2026-04-02T00:00:00.000Z');
    await held.arrivalOf('RevenueAccrued');
    const close = () => workspace.http.post('/v1/revenue/generate', { period: '2026-03' });
    return { workspace, subscriptionId, call, held, close };
  }

  /** Resolves when a process waits for the lock of closing and accruing, or when that ended which was to wait. */
  async function untilLockIsAwaited(by: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    void by.finally(() => (hasEnded = true));
    await inDatabase(async (pool) => {
      const isAwaited = async () => {
        const { rows } = await pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'countinghouse revenue months' AND wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      };
      while (!hasEnded && !(await isAwaited()));
    });
  }

  it('waits until the ledger shows what the saga has accrued', async () => {
    const { workspace, held, close } = await afterMarch();
    const closing = close().then((answer) => answer.status);
    await untilLockIsAwaited(closing);
    await withHeldTable('read.ledger_postings', async () => {
      const asked = nextWaitForReadModels();
      await held.release('RevenueAccrued');
      await Promise.race([closing, asked]);
    });
    expect(await closing).toBe(200);
    expect(await frozenFigures(workspace)).toMatchObject([[{ recognised: '10.00', unbilled: '10.00' }]]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('waits for an accrual that was measured before late usage, and measures again', async () => {
    const { workspace, call, held, close } = await afterMarch();
    await call(5);
    const closing = close().then((answer) => answer.status);
    await untilLockIsAwaited(closing);
    await held.release('RevenueAccrued');
    expect(await closing).toBe(200);
    await settle(workspace);
    expect(await frozenFigures(workspace)).toMatchObject([[{ recognised: '15.00', unbilled: '15.00' }]]);
    expect(await revenueOf(workspace, '2026-03-31')).toEqual({ revenue: 15, unbilled: 15 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('makes an accrual wait that begins meanwhile, so that late usage is no longer posted', async () => {
    const { workspace, subscriptionId, call, held, close } = await afterMarch('RevenueMonthClosed');
    await held.release('RevenueAccrued');
    await settle(workspace);
    const closing = close().then((answer) => answer.status);
    await held.arrivalOf('RevenueMonthClosed');
    await call(5);
    const accruing = system.saga.get(RevenueProcess, { strict: false }).perform({
      id: 'tsk_again',
      name: 'accrue-month',
      workspaceId: workspace.workspaceId,
      payload: { subscriptionId, month: '2026-03' },
      dueAt: '2026-03-31T23:59:59.999Z',
      attempt: 1,
      clock: 'workspace',
      eventId: 'evt_1',
      eventAt: null,
      correlationId: 'cor_1',
    });
    await untilLockIsAwaited(accruing);
    await held.release('RevenueMonthClosed');
    await accruing;
    expect(await closing).toBe(200);
    await settle(workspace);
    expect(await frozenFigures(workspace)).toMatchObject([[{ recognised: '10.00', unbilled: '10.00' }]]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('measures again if the request is sent again with its key', async () => {
    const { workspace, call, held, close } = await afterMarch();
    await held.release('RevenueAccrued');
    await settle(workspace);
    await call(5);
    // The reports show everything before the measurement, and not after it.
    jest
      .spyOn(system.api.get(ReadModelProgress, { strict: false }), 'waitFor')
      .mockResolvedValueOnce(true)
      .mockResolvedValueOnce(false);
    const send = () => close().set('Idempotency-Key', 'closing');
    await send().expect(503);
    await call(5);
    await send().expect(200);
    expect(await frozenFigures(workspace)).toMatchObject([[{ recognised: '20.00', unbilled: '20.00' }]]);
  });
});

describe('an accrual', () => {
  it('is found to differ if the ledger is changed behind its back', async () => {
    await inDatabase((pool) =>
      pool.query(
        `UPDATE read.ledger_postings SET amount = amount * 2
         WHERE event_type = 'RevenueAccrued' AND amount IN (10, -10) AND workspace_id <> $1`,
        [closed.workspaceId],
      ),
    );
    const { found } = await verificationOf(system);
    expect(found.filter((one) => one.includes('of the accruals of'))).not.toEqual([]);
  });
});

describeOfNode('a closed month', () => {
  it('is found to differ if its figures are changed, or if something is posted in it later', async () => {
    await inDatabase((pool) =>
      pool.query(
        `UPDATE eventstore.events SET data = convert_to(replace(convert_from(data, 'UTF8'), '"35.50"', '"35.51"'), 'UTF8')
         WHERE type = 'RevenueMonthClosed'`,
      ),
    );
    const { workspaceId } = closed;
    const month = { month: '2026-03', at: '2026-03-31T23:59:59.999Z', now: '2026-05-02T00:00:00.000Z' };
    await system.api
      .get(AggregateStore, { strict: false })
      .execute(
        revenueAccrualDecider,
        aggregateId(workspaceId, 'sub_planted'),
        commandContext({ workspaceId, now: month.now }),
        {
          type: 'AccrueRevenue',
          subscriptionId: 'sub_planted',
          customerId: 'late',
          currency: 'USD',
          ...month,
          timezone: 'UTC',
          nextBillAt: month.now,
          unbilled: [{ priceId: null, amount: '5.00', invoiceId: 'inv_planted' }],
        },
      );
    await advanceClock(closed, '2026-05-03T00:00:00.000Z');
    const { found } = await verificationOf(system);
    const subject = `closed month 2026-03 of ${workspaceId}`;
    expect(found.filter((one) => one.startsWith(subject))).toEqual([
      `${subject}: USD: recognised is "35.51" and must be "35.50"`,
      `${subject}: RevenueAccrued posted "Revenue of 2026-03 that is not invoiced" on 2026-03-31, after the month was closed`,
    ]);
  });
});

describe('late usage of a closed month', () => {
  it('is found by the verification if a measurement left it out, though its own lines come out again', async () => {
    const workspace = await afterLateUsage();
    const { http, workspaceId } = workspace;
    // The measurement takes the bills of now instead of those at the end of May.
    const bills = system.api.get(DecidedBills, { strict: false });
    jest
      .spyOn(bills, 'billsBefore')
      .mockImplementation((id, bill) => DecidedBills.prototype.billsBefore.call(bills, id, bill));
    const { body: may } = await http.post('/v1/revenue/generate', { period: '2026-05' }).expect(200);
    expect(may.data).toMatchObject([{ recognised: 0, unbilled: 0 }]);
    const { found } = await verificationOf(system);
    const subject = `closed month 2026-05 of ${workspaceId}`;
    expect(found.filter((one) => one.startsWith(subject))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${subject}: sub_\\w+ has 0.00 USD of unbilled revenue of price_\\w+ and must have 100.00 USD$`,
        ),
      ),
    ]);
  });
});

/** The last test, since it stops the saga. */
describe('closing a month while saga and projector are behind', () => {
  it('waits until the lists show every subscription', async () => {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-03-20T00:00:00.000Z');
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 1));
    await workspace.http.post('/v1/customers', { id: 'unseen', name: 'Unseen' }).expect(201);
    const send = async (path: string, body: object, status: number) =>
      workspace.http.post(path, body).expect(status);
    await system.saga.get(SagaProcess).stop();
    let created: Promise<unknown> | undefined;
    let closing: Promise<unknown> | undefined;
    await withHeldTable('read.subscriptions', async () => {
      const isCreated = nextWaitForReadModels();
      created = send('/v1/subscriptions', { customerId: 'unseen', planId }, 201);
      await isCreated;
      await jumpClock(system, workspace, '2026-04-02T00:00:00.000Z');
      await use(workspace, 'unseen', 'call', '2026-03-25T00:00:00Z', { n: 10 });
      const asked = nextWaitForReadModels();
      closing = send('/v1/revenue/generate', { period: '2026-03' }, 200);
      await Promise.race([closing, asked]);
    });
    await Promise.all([created, closing]);
    expect(await frozenFigures(workspace)).toMatchObject([[{ recognised: '10.00', unbilled: '10.00' }]]);
  });
});
