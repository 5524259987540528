import { describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { TaskStore } from '#libs/kernel/saga';
import { SubscriptionQueries } from '#projections/subscriptions';
import {
  advanceClock,
  createPlan,
  createMetric,
  fee,
  Gate,
  perUnit,
  settle,
  subscribe,
  use,
  workspacePerTest,
} from '../../../test/support/index.js';
import { beforeCommand, holdCommands } from '../../../test/support/before-command.js';
import { jumpClock } from '../../../test/support/invoicing.js';
import type { InvoiceView } from '../invoices/invoice.dto.js';
import type { BillingRunView } from './billing.dto.js';

const START = '2026-04-01T00:00:00.000Z';
const END = '2026-05-01T00:00:00.000Z';

const { system, workspace } = workspacePerTest({ now: START });

describe('POST /v1/billing/run', () => {
  it('bills what is due, in order, and says what it made', async () => {
    const { customerId, subscriptionId } = await subscribe(workspace, await arrears());
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, '2026-07-15T00:00:00.000Z');
    const answer = await run();
    const made = {
      id: expect.stringMatching(/^inv_/),
      subscriptionId,
      customerId,
      total: 10,
      currency: 'USD',
    };
    expect(answer).toEqual({
      id: expect.stringMatching(/^run_[0-9A-Z]{26}$/),
      trigger: 'manual',
      status: 'completed',
      startedAt: '2026-07-15T00:00:00.000Z',
      finishedAt: '2026-07-15T00:00:00.000Z',
      subscriptions: 1,
      invoiceCount: 3,
      totals: [{ currency: 'USD', total: 30 }],
      invoices: [made, made, made],
      failed: 0,
      failures: [],
    });
    expect(await invoices()).toEqual([
      'cycle 2026-04-01 2026-05-01 10',
      'cycle 2026-05-01 2026-06-01 10',
      'cycle 2026-06-01 2026-07-01 10',
    ]);
    expect(await history()).toEqual([answer]);

    // The timers come late, and find nothing to do; a further run too.
    release();
    await advanceClock(workspace, '2026-07-15T00:00:00.000Z');
    expect(await run()).toMatchObject({
      status: 'completed',
      subscriptions: 0,
      invoiceCount: 0,
      invoices: [],
    });
    expect(await invoices()).toHaveLength(3);
    expect((await history()).map(({ invoiceCount }) => invoiceCount)).toEqual([0, 3]);
  });

  it('that was interrupted and is repeated with its key says all that it made, and is then answered again', async () => {
    const planId = await arrears();
    const [one, two] = [await subscribe(workspace, planId), await subscribe(workspace, planId)];
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, END);
    const repeated = () => workspace.http.post('/v1/billing/run', {}).set('Idempotency-Key', 'may');
    // The first attempt comes to one of the two.
    const candidates = system.api.get(SubscriptionQueries, { strict: false });
    jest.spyOn(candidates, 'allDueIds').mockImplementationOnce(async function* () {
      yield one.subscriptionId;
    });
    let attempts = 0;
    beforeCommand(system.api, 'FinishBillingRun', async () => {
      if (++attempts === 1) throw new Error('the process died here');
    });
    await repeated().expect(500);
    const { body: answer } = await repeated().expect(200);
    release();
    expect(answer).toMatchObject({
      status: 'completed',
      subscriptions: 2,
      invoiceCount: 2,
      totals: [{ currency: 'USD', total: 20 }],
      invoices: [one, two].map(({ subscriptionId }) => ({ subscriptionId, total: 10 })),
    });
    expect(await history()).toEqual([answer]);
    // The first answer can be lost although the run is finished.
    await system.api
      .get(Pool)
      .query('DELETE FROM idempotency.answers WHERE workspace_id = $1', [workspace.workspaceId]);
    expect((await repeated().expect(200)).body).toEqual(answer);
  });

  it('may be limited to a customer or a subscription', async () => {
    const planId = await arrears();
    const [one, two, three] = [
      await subscribe(workspace, planId),
      await subscribe(workspace, planId),
      await subscribe(workspace, planId),
    ];
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, END);
    const billed = ({ invoices: made }: BillingRunView) => made.map((invoice) => invoice.subscriptionId);
    expect(billed(await run({ customerId: two.customerId }))).toEqual([two.subscriptionId]);
    expect(billed(await run({ customerId: two.customerId, subscriptionId: one.subscriptionId }))).toEqual([]);
    expect(billed(await run({ subscriptionId: one.subscriptionId }))).toEqual([one.subscriptionId]);
    expect(billed(await run())).toEqual([three.subscriptionId]);
    release();
  });

  it('does not find what is not in the workspace, and knows no other field', async () => {
    const other = await system.workspace();
    const { customerId, subscriptionId } = await subscribe(workspace, await arrears());
    for (const body of [{ customerId }, { subscriptionId }])
      await other.http.post('/v1/billing/run', body).expect(404);
    await workspace.http.post('/v1/billing/run', { until: END }).expect(400);
  });

  it('goes on with the others if one cannot be billed, and tries that again by itself', async () => {
    const planId = await arrears();
    const subscriptions = [await subscribe(workspace, planId), await subscribe(workspace, planId)];
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, END);
    let attempts = 0;
    beforeCommand(system.api, 'CreateInvoice', async () => {
      if (++attempts === 1) throw new Error('the process died here');
    });
    const answer = await run();
    expect(answer).toMatchObject({ status: 'completed_with_errors', invoiceCount: 1, failed: 1 });
    expect(answer.failures).toEqual([
      {
        subscriptionId: expect.stringMatching(/^sub_/),
        code: 'internal_error',
        error: expect.not.stringContaining('died'),
      },
    ]);
    expect(subscriptions.map(({ subscriptionId }) => subscriptionId)).toContain(
      answer.failures[0]!.subscriptionId,
    );
    // The boundary was passed, so that the invoice is only a matter of time.
    release();
    await advanceClock(workspace, END);
    expect(await invoices()).toEqual(['cycle 2026-04-01 2026-05-01 10', 'cycle 2026-04-01 2026-05-01 10']);
    expect(await history()).toMatchObject([{ id: answer.id, invoiceCount: 2, failed: 1 }]);
  });
});

describe('GET /v1/billing/schedule and /history', () => {
  it('say what will be billed when, and what timers have billed', async () => {
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(
      workspace,
      fee('Base', 20, { timing: 'in_advance' }),
      perUnit('Requests', metricId, 0.01),
    );
    const first = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    await use(workspace, first.customerId, 'request', '2026-04-09T00:00:00Z');
    const second = await subscribe(workspace, planId);
    const ended = await subscribe(workspace, planId);
    await workspace.http
      .post(`/v1/subscriptions/${ended.subscriptionId}/cancel`, { immediately: true })
      .expect(200);
    await workspace.http.post(`/v1/subscriptions/${second.subscriptionId}/cancel`).expect(200);

    const scheduled = [
      { ...first, periodStart: START, periodEnd: END, dueAt: END, reason: 'boundary', final: false },
      {
        ...second,
        periodStart: '2026-04-10T00:00:00.000Z',
        periodEnd: '2026-05-10T00:00:00.000Z',
        dueAt: '2026-05-10T00:00:00.000Z',
        reason: 'cancellation',
        final: true,
      },
    ];
    await workspace.http.get('/v1/billing/schedule').expect(200, { data: scheduled, hasMore: false });
    await workspace.http
      .get('/v1/billing/schedule?limit=1&offset=1')
      .expect(200, { data: scheduled.slice(1), hasMore: false });
    expect(await history()).toEqual([]);

    await advanceClock(workspace, '2026-05-10T00:00:00Z');
    const report = (at: string, total: number, { customerId, subscriptionId }: typeof first) => ({
      id: expect.stringMatching(/^run_/),
      trigger: 'schedule',
      status: 'completed',
      startedAt: at,
      finishedAt: at,
      subscriptions: 1,
      invoiceCount: 1,
      totals: [{ currency: 'USD', total }],
      invoices: [{ id: expect.stringMatching(/^inv_/), subscriptionId, customerId, total, currency: 'USD' }],
      failed: 0,
      failures: [],
    });
    expect(await history()).toEqual([
      report('2026-05-10T00:00:00.000Z', 0, second),
      report(END, 20.01, first),
    ]);
    const { body: other } = await (await system.workspace()).http.get('/v1/billing/history').expect(200);
    expect(other).toEqual({ data: [], hasMore: false });
  });
});

describe('at the same moment', () => {
  it.each([2, 20])('%d runs and the timer pass a boundary once, and make one invoice', async (count) => {
    const { customerId } = await subscribe(
      workspace,
      await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' }), fee('Backup', 10)),
    );
    // Held where each has read that the boundary is due, and none has decided.
    const gate = new Gate(count + 1);
    beforeCommand(system.api, 'AdvanceSubscription', () => gate.pass());
    beforeCommand(system.saga, 'AdvanceSubscription', () => gate.pass());
    const [answers] = await Promise.all([
      jumpClock(system, workspace, END).then(() =>
        Promise.all(Array.from({ length: count }, () => run({ customerId }))),
      ),
      advanceClock(workspace, END),
    ]);
    await advanceClock(workspace, END);
    expect(await invoices()).toEqual(['cycle 2026-04-01 2026-05-01 20', 'cycle 2026-04-01 2026-05-01 30']);
    const reports = await history();
    expect(reports.filter(({ invoiceCount }) => invoiceCount === 1)).toHaveLength(1);
    expect(reports.flatMap((report) => report.invoices)).toHaveLength(1);
    expect(answers.flatMap((answer) => answer.invoices).length).toBeLessThanOrEqual(1);
  });

  it('a run and a cancellation come out in either order, and bill the period once', async () => {
    const { subscriptionId } = await subscribe(workspace, await arrears());
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, END);
    const gate = new Gate(2);
    beforeCommand(system.api, 'AdvanceSubscription', () => gate.pass());
    const [, canceled] = await Promise.all([
      run(),
      workspace.http.post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true }).expect(200),
    ]);
    release();
    await advanceClock(workspace, '2026-08-01T00:00:00Z');
    expect(canceled.body).toMatchObject({ status: 'canceled', canceledAt: END });
    expect(await invoices()).toEqual(['cycle 2026-04-01 2026-05-01 10']);
  });

  it('two amendments are made one after the other, the second of what the first has left', async () => {
    const fees = (amount: number) => fee('Base', amount, { timing: 'in_advance' });
    const { subscriptionId, customerId } = await subscribe(workspace, await createPlan(workspace, fees(30)));
    const plans = [await createPlan(workspace, fees(60)), await createPlan(workspace, fees(90))];
    await advanceClock(workspace, '2026-04-16T00:00:00Z');
    const gate = new Gate(2);
    beforeCommand(system.api, 'AmendSubscription', () => gate.pass());
    const amend = (planId: string) =>
      workspace.http.post(`/v1/subscriptions/${subscriptionId}/amend`, { planId });
    const answers = await Promise.all(plans.map((planId) => amend(planId)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await advanceClock(workspace, '2026-04-17T00:00:00Z');
    const { body: now } = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    const last = plans.indexOf(now.planId);
    // Whoever came first, the halves of what was given back and charged come to the same.
    const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    const lines = (body.data as InvoiceView[]).flatMap((invoice) => invoice.lines);
    const sum = lines.reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(30 - 15 + [30, 45][last]!);
    expect(lines.filter(({ type }) => type === 'credit')).toHaveLength(2);
  });

  it('a run and an amendment come out in either order, and bill the period once', async () => {
    const fees = (amount: number) => fee('Base', amount, { timing: 'in_advance' });
    const { subscriptionId } = await subscribe(workspace, await createPlan(workspace, fees(30)));
    const planId = await createPlan(workspace, fees(60));
    await advanceClock(workspace, START.replace('00:00.000', '01:00.000'));
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, END);
    const gate = new Gate(2);
    beforeCommand(system.api, 'AdvanceSubscription', () => gate.pass());
    const [, amended] = await Promise.all([
      run(),
      workspace.http.post(`/v1/subscriptions/${subscriptionId}/amend`, { planId }).expect(200),
    ]);
    release();
    await advanceClock(workspace, '2026-05-02T00:00:00Z');
    expect(amended.body.amendment).toMatchObject({ status: 'applied', effectiveAt: END });
    expect(await invoices()).toEqual([
      'cycle 2026-04-01 2026-05-01 30',
      'cycle 2026-04-01 2026-05-01 30',
      'amendment 2026-05-01 2026-06-01 30',
    ]);
  });

  it('two requests for an invoice of the usage so far make one', async () => {
    const metricId = await createMetric(workspace, 'request');
    const { customerId, subscriptionId } = await subscribe(
      workspace,
      await createPlan(workspace, perUnit('Requests', metricId, 0.01)),
    );
    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
    const gate = new Gate(2);
    beforeCommand(system.api, 'BillUsage', () => gate.pass());
    const answers = await Promise.all(
      [1, 2].map(() => workspace.http.post(`/v1/subscriptions/${subscriptionId}/invoices`)),
    );
    expect(answers.map(({ status, body }) => `${status} ${body.code ?? body.kind}`).sort()).toEqual([
      '201 interim',
      '409 subscription_changed',
    ]);
    expect(await invoices()).toEqual(['interim 2026-04-01 2026-04-10 0.01']);
  });

  it('a draft is voided and computed again, and the coupon is not used up', async () => {
    const { customerId, draft } = await draftWithCoupon({ units: 1 });
    expect(await usesOf(customerId)).toEqual([draft]);
    // The draft is voided, and its use of the coupon returned, after the recomputation has read both.
    beforeCommand(system.api, 'UseCoupons', async () => {
      await workspace.http.post(`/v1/invoices/${draft}/void`).expect(200);
      await settle(workspace);
      expect(await usesOf(customerId)).toEqual([]);
    });
    await workspace.http.post(`/v1/invoices/${draft}/approve`).expect(409);
    expect(await usesOf(customerId)).toEqual([]);
  });

  it('a draft is voided after a recomputation was cut, and the coupon is not used up', async () => {
    const { customerId, draft } = await draftWithCoupon({ units: 0 });
    await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
    beforeCommand(system.api, 'RecomputeDraft', () => Promise.reject(new Error('The process dies here')));
    await workspace.http.post(`/v1/invoices/${draft}/approve`).expect(500);
    expect(await usesOf(customerId)).toEqual([draft]);
    await workspace.http.post(`/v1/invoices/${draft}/void`).expect(200);
    await settle(workspace);
    expect(await usesOf(customerId)).toEqual([]);
  });
});

describe('a saga process that was away for three periods', () => {
  it('bills each in order, at its own boundary', async () => {
    await subscribe(workspace, await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' })));
    await advanceClock(workspace, START);
    await jumpClock(system, workspace, '2026-07-15T00:00:00.000Z');
    await new TaskStore(system.saga.get(Pool)).notifyWorkers();
    await advanceClock(workspace, '2026-07-15T00:00:00.000Z');
    expect(await invoices()).toEqual([
      'cycle 2026-04-01 2026-05-01 20',
      'cycle 2026-04-01 2026-05-01 20',
      'cycle 2026-05-01 2026-06-01 20',
      'cycle 2026-06-01 2026-07-01 20',
    ]);
    const { body } = await workspace.http.get('/v1/subscriptions').expect(200);
    expect(body.data[0]).toMatchObject({ currentPeriodStart: '2026-07-01T00:00:00.000Z' });
  });
});

describe('a customer with a subscription', () => {
  it('is not deleted', async () => {
    const { customerId, subscriptionId } = await subscribe(workspace, await arrears());
    const { body } = await workspace.http.delete(`/v1/customers/${customerId}`).expect(409);
    expect(body).toMatchObject({
      code: 'customer_has_subscriptions',
      error: expect.stringContaining(subscriptionId),
    });
    await workspace.http
      .post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true })
      .expect(200);
    // Its last invoice is being made.
    await advanceClock(workspace, '2026-04-01T00:00:01.000Z');
    await workspace.http.delete(`/v1/customers/${customerId}`).expect(204);
  });

  it('keeps its currency until the subscription has ended, or is given that of the subscription', async () => {
    const { customerId, subscriptionId } = await subscribe(workspace, await arrears());
    const change = (currency: string, status: number) =>
      workspace.http.patch(`/v1/customers/${customerId}`, { currency }).expect(status);
    const { body } = await change('EUR', 409);
    expect(body).toMatchObject({
      code: 'customer_currency_in_use',
      error: expect.stringContaining(subscriptionId),
      details: [{ field: 'currency' }],
    });
    await change('USD', 200);
    await workspace.http
      .post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true })
      .expect(200);
    expect((await change('EUR', 200)).body.currency).toBe('EUR');
    await workspace.http.post('/v1/subscriptions', { customerId, planId: await arrears() }).expect(201);
    await change('JPY', 409);
    expect((await change('USD', 200)).body.currency).toBe('USD');
  });
});

async function run(body: object = {}): Promise<BillingRunView> {
  return (await workspace.http.post('/v1/billing/run', body).expect(200)).body;
}

async function history(): Promise<BillingRunView[]> {
  return (await workspace.http.get('/v1/billing/history').expect(200)).body.data;
}

/** The workspace's invoices, oldest first: kind, period, total. */
async function invoices(): Promise<string[]> {
  const { body } = await workspace.http.get('/v1/invoices?page_size=100').expect(200);
  return body.data
    .map(({ kind, periodStart, periodEnd, total }: InvoiceView) =>
      [kind, periodStart.slice(0, 10), periodEnd.slice(0, 10), total].join(' '),
    )
    .reverse();
}

/** A draft for as many units of usage, of a customer with a coupon for one invoice. */
async function draftWithCoupon({ units }: { units: number }): Promise<{ customerId: string; draft: string }> {
  await workspace.http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
  await workspace.http
    .post('/v1/coupons', { id: 'ONCE', name: 'Once', percentOff: 10, duration: 'once' })
    .expect(201);
  const metricId = await createMetric(workspace, 'request');
  const planId = await createPlan(workspace, perUnit('Requests', metricId, 10));
  const { customerId } = await subscribe(workspace, planId, { subscription: { coupons: ['ONCE'] } });
  for (let i = 0; i < units; i++) await use(workspace, customerId, 'request', START);
  await advanceClock(workspace, END);
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
  expect(body.data).toMatchObject([{ status: 'draft', total: 9 * units }]);
  return { customerId, draft: body.data[0].id };
}

/** The invoices on which the customer's only coupon is used. */
async function usesOf(customerId: string): Promise<string[]> {
  const { body } = await workspace.http.get(`/v1/customers/${customerId}/coupons`).expect(200);
  return body.data[0].usedOn;
}

function arrears() {
  return createPlan(workspace, fee('Backup', 10));
}
