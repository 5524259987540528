import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  requestsOf,
  startSystem,
  subscribe,
  use,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import type { InvoiceView } from '../invoices/invoice.dto.js';
import type { InvoiceLineView } from '../invoices/invoice-line.dto.js';

let system: System;
let workspace: TestWorkspace;
beforeAll(async () => {
  system = await startSystem();
});
beforeEach(async () => {
  workspace = await system.workspace();
});
afterAll(() => system.stop());

const { invoicesOf } = requestsOf(() => workspace);

const printed = (invoices: InvoiceView[]) =>
  invoices.map(({ kind, periodStart, periodEnd, total }) =>
    [kind, periodStart.slice(0, 10), periodEnd.slice(0, 10), total].join(' '),
  );

const lineOf = ({ description, quantity, amount, periodStart, periodEnd }: InvoiceLineView) =>
  [description, quantity, amount, periodStart, periodEnd].join(' | ');

describe('POST /v1/subscriptions', () => {
  it('starts a subscription that pins the prices of the plan', async () => {
    await freezeClock(workspace, '2026-01-31T10:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(workspace, perUnit('Requests', metricId, 0.01), fee('Base', 20));
    const { body: customer } = await workspace.http.post('/v1/customers', { name: 'Northwind' }).expect(201);
    const { body } = await workspace.http
      .post('/v1/subscriptions', { customerId: customer.id, planId })
      .expect(201);
    const start = '2026-01-31T10:00:00.000Z';
    const end = '2026-02-28T10:00:00.000Z';
    expect(body).toEqual({
      id: expect.stringMatching(/^sub_[0-9A-Z]{26}$/),
      customerId: customer.id,
      planId,
      planVersion: 1,
      planName: 'Growth',
      minimumCommitment: null,
      billingThresholds: null,
      status: 'active',
      currency: 'USD',
      timezone: 'UTC',
      billingInterval: 'monthly',
      anchor: start,
      anchorDay: null,
      startsAt: start,
      startedAt: start,
      trialEnd: null,
      currentPeriodStart: start,
      currentPeriodEnd: end,
      pausesAt: null,
      pausedAt: null,
      resumesAt: null,
      cancelAt: null,
      cancelAtPeriodEnd: false,
      cancelOptions: null,
      canceledAt: null,
      createdAt: start,
      externalId: null,
      metadata: {},
      prices: [
        expect.objectContaining({
          name: 'Requests',
          version: 1,
          config: { model: 'unit', unitPrice: 0.01, currency: 'USD' },
          cadence: 'usage_based',
          timing: 'in_arrears',
          metricId,
          quantity: null,
        }),
        expect.objectContaining({ name: 'Base', cadence: 'monthly', metricId: null, quantity: 1 }),
      ],
    });
    await workspace.http.get(`/v1/subscriptions/${body.id}`).expect(200, body);

    // A new version of a price is for new subscriptions.
    const [{ priceId }] = body.prices;
    const config = { model: 'unit', unitPrice: 0.02, currency: 'USD' };
    await workspace.http.patch(`/v1/prices/${priceId}`, { config }).expect(200);
    await workspace.http.get(`/v1/subscriptions/${body.id}`).expect(200, body);
  });

  it("cuts the periods at the customer's local time", async () => {
    await freezeClock(workspace, '2026-02-28T23:00:00Z');
    const { subscriptionId } = await subscribe(workspace, await createPlan(workspace, fee('Base', 20)), {
      timezone: 'Europe/Berlin',
    });
    const { body } = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    // 1 March and 1 April at midnight in Berlin, with the change to summer time between.
    expect([body.currentPeriodStart, body.currentPeriodEnd]).toEqual([
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
  });

  it('does not find what is not in the workspace', async () => {
    const other = await system.workspace();
    const planId = await createPlan(workspace, fee('Base', 20));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const foreign = { customerId, planId: await createPlan(other, fee('Base', 20)) };
    const { body: plan } = await workspace.http.post('/v1/subscriptions', foreign).expect(404);
    expect(plan.code).toBe('plan_not_found');
    const { body: customer } = await workspace.http
      .post('/v1/subscriptions', { customerId: 'cust_none', planId })
      .expect(404);
    expect(customer.code).toBe('customer_not_found');
    for (const path of ['', '/cancel', '/uncancel', '/pause', '/resume', '/invoices', '/invoices/compute']) {
      const of = `/v1/subscriptions/${subscriptionId}${path}`;
      const { body } = await (path === '' ? other.http.get(of) : other.http.post(of, {})).expect(404);
      expect(body.code).toBe('subscription_not_found');
    }
  });

  it('names the fields that are wrong', async () => {
    const { body } = await workspace.http
      .post('/v1/subscriptions', { planId: 7, startsAt: 'now', trialDays: -1, anchorDay: 32 })
      .expect(400);
    expect(body.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      'anchorDay',
      'customerId',
      'planId',
      'startsAt',
      'trialDays',
    ]);
  });

  it('refuses a plan whose prices are too large for changes of the subscription', async () => {
    const aggregation = { type: 'count', groupBy: ['region', 'size'] };
    const metricId = await createMetric(workspace, 'call', aggregation);
    const text = (start: string) => start.padEnd(255, 'x');
    const cells = Array.from({ length: 200 }, (_, n) => ({ values: [text(`${n}`), text('')], unitPrice: 1 }));
    const config = { model: 'matrix', currency: 'USD', dimensions: aggregation.groupBy, cells };
    const largest = { metricId, config: { ...config, defaultUnitPrice: 1 }, cadence: 'usage_based' } as const;
    const names = Array.from({ length: 10 }, (_, n) => `Calls ${n}`);
    const toPlanId = await createPlan(workspace, ...names.map((name) => ({ name, ...largest })));
    const fromPlanId = await createPlan(workspace, fee('Base', 20));
    const { customerId } = await subscribe(workspace, fromPlanId);

    const refused = async (path: string, body: object, field: string) => {
      const answer = await workspace.http.post(path, body).expect(400);
      const message = expect.stringContaining('at most 250000 bytes together');
      expect(answer.body.details).toEqual([{ field, message }]);
    };
    await refused('/v1/subscriptions', { customerId, planId: toPlanId }, 'planId');
    await refused('/v1/price-migrations/preview', { fromPlanId, toPlanId }, 'toPlanId');
  });

  it('invoices the periods since a start in the past, one by one', async () => {
    await freezeClock(workspace, '2026-04-10T00:00:00Z');
    const planId = await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' }));
    const { customerId, subscriptionId } = await subscribe(workspace, planId, {
      subscription: { startsAt: '2026-01-31T00:00:00Z' },
    });
    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    expect(printed(await invoicesOf(customerId))).toEqual([
      'cycle 2026-01-31 2026-02-28 20',
      'cycle 2026-01-31 2026-02-28 20',
      'cycle 2026-02-28 2026-03-31 20',
    ]);
    const { body } = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    expect(body).toMatchObject({
      status: 'active',
      startsAt: '2026-01-31T00:00:00.000Z',
      currentPeriodStart: '2026-03-31T00:00:00.000Z',
    });
    const early = { customerId, planId, startsAt: '2000-01-01T00:00:00Z' };
    const { body: refused } = await workspace.http.post('/v1/subscriptions', early).expect(400);
    expect(refused.details).toEqual([expect.objectContaining({ field: 'startsAt' })]);
  });

  it('waits for a start in the future, and for the end of a trial', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(
      workspace,
      fee('Base', 20, { timing: 'in_advance' }),
      perUnit('Requests', metricId, 0.01),
    );
    const { customerId, subscriptionId } = await subscribe(workspace, planId, {
      subscription: {
        startsAt: '2026-02-01T00:00:00Z',
        trialDays: 14,
        timezone: 'Europe/Berlin',
        metadata: { deal: 'D-1' },
      },
    });
    const current = async () =>
      (await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200)).body;
    expect(await current()).toMatchObject({
      status: 'pending',
      startsAt: '2026-02-01T00:00:00.000Z',
      startedAt: null,
      currentPeriodStart: null,
      trialEnd: '2026-02-15T00:00:00.000Z',
      timezone: 'Europe/Berlin',
      metadata: { deal: 'D-1' },
    });
    await advanceClock(workspace, '2026-02-10T00:00:00Z');
    expect(await current()).toMatchObject({
      status: 'trialing',
      startedAt: '2026-02-01T00:00:00.000Z',
      currentPeriodEnd: '2026-02-15T00:00:00.000Z',
    });
    // Free, since it is of the trial.
    await use(workspace, customerId, 'request', '2026-02-09T00:00:00Z');
    expect(await invoicesOf(customerId)).toEqual([]);
    await advanceClock(workspace, '2026-03-15T00:00:00Z');
    expect(await current()).toMatchObject({ status: 'active' });
    expect(printed(await invoicesOf(customerId))).toEqual([
      'cycle 2026-02-15 2026-03-15 20',
      'cycle 2026-02-15 2026-03-15 20',
    ]);
    const { body: pending } = await workspace.http.get('/v1/subscriptions?status=pending').expect(200);
    expect(pending.data).toEqual([]);
  });

  it("takes the plan's trial, unless it says otherwise, and a day of the month for its periods", async () => {
    await freezeClock(workspace, '2026-01-31T00:00:00Z');
    const planId = await createPlan(workspace, fee('Base', 31, { timing: 'in_advance' }));
    await workspace.http.patch(`/v1/plans/${planId}`, { trialDays: 7 }).expect(200);
    await workspace.http.post(`/v1/plans/${planId}/publish`).expect(200);
    const trial = await subscribe(workspace, planId);
    const { body: trialing } = await workspace.http
      .get(`/v1/subscriptions/${trial.subscriptionId}`)
      .expect(200);
    expect(trialing).toMatchObject({ status: 'trialing', trialEnd: '2026-02-07T00:00:00.000Z' });

    const { customerId } = await subscribe(workspace, planId, {
      subscription: { trialDays: 0, anchorDay: 15 },
    });
    await advanceClock(workspace, '2026-02-15T00:00:00Z');
    const [first, second] = await invoicesOf(customerId);
    // 15 of the 31 days from 15 January to 15 February.
    expect(first!.lines.map(lineOf)).toEqual([
      'Base (part of the period) | 1 | 15 | 2026-01-31T00:00:00.000Z | 2026-02-15T00:00:00.000Z',
    ]);
    expect(second!.lines.map(lineOf)).toEqual([
      'Base | 1 | 31 | 2026-02-15T00:00:00.000Z | 2026-03-15T00:00:00.000Z',
    ]);
  });

  it('charges fees for as many units as it is told to', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const config = { model: 'unit', unitPrice: 12.5, currency: 'USD' };
    const planId = await createPlan(workspace, { name: 'Seat', config, timing: 'in_advance' });
    const [{ priceId }] = (await workspace.http.get(`/v1/plans/${planId}`).expect(200)).body.prices;
    const body = { quantities: [{ priceId, quantity: 3 }] };
    const { customerId, subscriptionId } = await subscribe(workspace, planId, { subscription: body });
    const { body: made } = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    expect(made.prices[0]).toMatchObject({ priceId, quantity: 3 });
    await advanceClock(workspace, '2026-04-01T00:00:00Z');
    const [invoice] = await invoicesOf(customerId);
    expect(invoice!.lines[0]).toMatchObject({ description: 'Seat', quantity: 3, amount: 37.5 });
    for (const quantities of [[{ priceId: 'price_none', quantity: 1 }], [{ priceId, quantity: 'x' }], 5]) {
      const { body: refused } = await workspace.http
        .post('/v1/subscriptions', { customerId, planId, quantities })
        .expect(400);
      expect(refused.details[0].field).toMatch(/^quantities/);
    }
  });

  it('makes one subscription of one idempotency key', async () => {
    const planId = await createPlan(workspace, fee('Base', 20));
    const { body: customer } = await workspace.http.post('/v1/customers', { name: 'Once' }).expect(201);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        workspace.http
          .post('/v1/subscriptions', { customerId: customer.id, planId })
          .set('Idempotency-Key', 'one'),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    const { body } = await workspace.http.get(`/v1/subscriptions?customer_id=${customer.id}`).expect(200);
    expect(body.data).toHaveLength(1);
  });
});

describe('the externalId of a subscription', () => {
  let planId: string;
  beforeEach(async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00Z');
    planId = await createPlan(workspace, fee('Base', 20));
    await workspace.http.post('/v1/customers', { id: 'north', name: 'Northwind' }).expect(201);
  });
  const create = (more: object = {}) =>
    workspace.http.post('/v1/subscriptions', { customerId: 'north', planId, ...more });

  it('finds it, and is used once, also after it has ended', async () => {
    const { body: made } = await create({ externalId: 'order/1' }).expect(201);
    expect(made).toMatchObject({ externalId: 'order/1' });
    const { body: other } = await create({ externalId: 'order/2' }).expect(201);
    const { body: found } = await workspace.http.get('/v1/subscriptions?externalId=order%2F1').expect(200);
    expect(found.data).toEqual([made]);
    await workspace.http.post(`/v1/subscriptions/${made.id}/cancel`, { immediately: true }).expect(200);
    const { body: refused } = await create({ externalId: 'order/1' }).expect(409);
    expect(refused).toMatchObject({ code: 'external_id_in_use', details: [{ field: 'externalId' }] });
    expect(refused.error).toContain(made.id);
    expect(other.id).not.toBe(made.id);
    const elsewhere = await system.workspace();
    expect(
      (await elsewhere.http.get('/v1/subscriptions?externalId=order%2F1').expect(200)).body.data,
    ).toEqual([]);
    for (const externalId of ['', ' ', 'x'.repeat(256), 7, null])
      expect((await create({ externalId }).expect(400)).body.details[0].field).toBe('externalId');
  });

  it('goes to one of several who ask at once, and their coupons come back', async () => {
    await workspace.http.post('/v1/coupons', { id: 'TEN', name: 'Ten', percentOff: 10 }).expect(201);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => create({ externalId: 'order-1', coupons: ['TEN'] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await workspace.http.get('/v1/subscriptions').expect(200)).body.data).toHaveLength(1);
    const { body: coupon } = await workspace.http.get('/v1/coupons/TEN').expect(200);
    expect(coupon).toMatchObject({ redemptions: 1 });
  });

  it('is not taken by a creation that was refused, and is answered again to the same request', async () => {
    await create({ externalId: 'order-1', coupons: ['NONE'] }).expect(404);
    const { body } = await create({ externalId: 'order-1' }).set('idempotency-key', 'k1').expect(201);
    const again = await create({ externalId: 'order-1' }).set('idempotency-key', 'k1').expect(201);
    expect(again.body).toEqual(body);
  });
});

describe('GET /v1/subscriptions', () => {
  it('filters by status and customer, oldest first', async () => {
    const planId = await createPlan(workspace, fee('Base', 20));
    const first = await subscribe(workspace, planId);
    const second = await subscribe(workspace, planId);
    await workspace.http
      .post(`/v1/subscriptions/${first.subscriptionId}/cancel`, { immediately: true })
      .expect(200);
    const idsOf = async (query: string) =>
      (await workspace.http.get(`/v1/subscriptions${query}`).expect(200)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('')).toEqual([first.subscriptionId, second.subscriptionId]);
    expect(await idsOf('?limit=1&offset=1')).toEqual([second.subscriptionId]);
    expect(await idsOf('?status=active')).toEqual([second.subscriptionId]);
    expect(await idsOf('?status=canceled')).toEqual([first.subscriptionId]);
    expect(await idsOf('?status=paused')).toEqual([]);
    expect(await idsOf(`?customer_id=${second.customerId}`)).toEqual([second.subscriptionId]);
    await workspace.http.get('/v1/subscriptions?status=gone').expect(400);
  });
});

describe('a subscription that goes on', () => {
  it('is billed for fourteen months from 31 January, each period once, whatever is in the plan', async () => {
    await freezeClock(workspace, '2026-01-31T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(
      workspace,
      fee('Base', 20, { timing: 'in_advance' }),
      fee('Backup', 5),
      fee('Support', 1200, { cadence: 'annual', timing: 'in_advance' }),
      fee('Setup', 50, { cadence: 'one_time', timing: 'in_advance' }),
      perUnit('Requests', metricId, 0.01),
    );
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    // Two events in the first period, and one at the very instant at which it ends: that is the second's.
    await advanceClock(workspace, '2026-02-27T23:58:00Z');
    await use(workspace, customerId, 'request', '2026-02-01T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-02-27T23:59:59.999Z');
    await use(workspace, customerId, 'request', '2026-02-28T00:00:00.000Z');
    await advanceClock(workspace, '2027-03-31T00:00:00Z');

    const invoices = await invoicesOf(customerId);
    expect(printed(invoices)).toEqual([
      'cycle 2026-01-31 2026-02-28 1270',
      'cycle 2026-01-31 2026-02-28 25.02',
      'cycle 2026-02-28 2026-03-31 25.01',
      'cycle 2026-03-31 2026-04-30 25',
      'cycle 2026-04-30 2026-05-31 25',
      'cycle 2026-05-31 2026-06-30 25',
      'cycle 2026-06-30 2026-07-31 25',
      'cycle 2026-07-31 2026-08-31 25',
      'cycle 2026-08-31 2026-09-30 25',
      'cycle 2026-09-30 2026-10-31 25',
      'cycle 2026-10-31 2026-11-30 25',
      'cycle 2026-11-30 2026-12-31 25',
      'cycle 2026-12-31 2027-01-31 1225',
      'cycle 2027-01-31 2027-02-28 25',
      'cycle 2027-02-28 2027-03-31 25',
    ]);
    const start = '2026-01-31T00:00:00.000Z';
    const first = '2026-02-28T00:00:00.000Z';
    expect(invoices[0]!.lines.map(lineOf)).toEqual([
      `Base | 1 | 20 | ${start} | ${first}`,
      `Support | 1 | 1200 | ${start} | 2027-01-31T00:00:00.000Z`,
      `Setup | 1 | 50 | ${start} | ${start}`,
    ]);
    expect(invoices[1]!.lines.map(lineOf)).toEqual([
      `Base | 1 | 20 | ${first} | 2026-03-31T00:00:00.000Z`,
      `Backup | 1 | 5 | ${start} | ${first}`,
      `Requests | 2 | 0.02 | ${start} | ${first}`,
    ]);
    const { body } = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    expect(body).toMatchObject({ status: 'active', currentPeriodEnd: '2027-04-30T00:00:00.000Z' });
  });

  it('is billed nothing at the start if everything is in arrears, and nothing at the end of a quiet period', async () => {
    await freezeClock(workspace, '2026-01-31T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const { customerId } = await subscribe(
      workspace,
      await createPlan(workspace, perUnit('Requests', metricId, 0.01)),
    );
    await advanceClock(workspace, '2026-02-27T00:00:00Z');
    expect(await invoicesOf(customerId)).toEqual([]);
    await advanceClock(workspace, '2026-02-28T00:00:00Z');
    expect(printed(await invoicesOf(customerId))).toEqual(['cycle 2026-01-31 2026-02-28 0']);
  });
});

describe('POST /v1/subscriptions/:id/cancel', () => {
  /** 10 USD in arrears and 20 in advance a month, and a cent a request, from 1 April 2026, a month of 30 days. */
  async function subscribed() {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(
      workspace,
      fee('Base', 20, { timing: 'in_advance' }),
      fee('Backup', 10),
      perUnit('Requests', metricId, 0.01),
    );
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
    const cancel = (body?: object) => workspace.http.post(`/v1/subscriptions/${subscriptionId}/cancel`, body);
    return { customerId, subscriptionId, cancel };
  }

  it('of a trial leaves nothing to preview, and the error says so', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const planId = await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { subscription: { trialDays: 14 } });
    await workspace.http.post(`/v1/subscriptions/${subscriptionId}/cancel`).expect(200);
    const path = `/v1/subscriptions/${subscriptionId}/invoices/compute`;
    const { body } = await workspace.http.post(path).expect(409);
    expect(body).toMatchObject({ code: 'nothing_to_invoice', error: expect.stringContaining('ends') });
  });

  it('ends it with its period by default: arrears are billed, and no next period', async () => {
    const { customerId, subscriptionId, cancel } = await subscribed();
    const end = '2026-05-01T00:00:00.000Z';
    const { body } = await cancel().expect(200);
    expect(body).toMatchObject({ status: 'active', cancelAt: end, canceledAt: null });
    await cancel({ immediately: false }).expect(200, body);
    await advanceClock(workspace, '2026-09-01T00:00:00Z');
    expect(printed(await invoicesOf(customerId))).toEqual([
      'cycle 2026-04-01 2026-05-01 20',
      'final 2026-04-01 2026-05-01 10.01',
    ]);
    const ended = await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200);
    expect(ended.body).toMatchObject({ status: 'canceled', cancelAt: end, canceledAt: end });
  });

  it('ends it now if asked: usage and the share of fees in arrears, less what is unused of those in advance', async () => {
    const { customerId, cancel } = await subscribed();
    const { body } = await cancel({ immediately: true }).expect(200);
    const at = '2026-04-10T00:00:00.000Z';
    expect(body).toMatchObject({ status: 'canceled', cancelAt: at, canceledAt: at });
    await advanceClock(workspace, '2026-09-01T00:00:00Z');
    const [, final, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    // 9 of 30 days of 10 USD, and one request; 21 of 30 days of 20 USD that were paid are given back.
    expect(final).toMatchObject({ kind: 'final', total: 0, balanceCredited: 10.99 });
    expect(final!.lines.map(lineOf)).toEqual([
      `Backup (part of the period) | 1 | 3 | 2026-04-01T00:00:00.000Z | ${at}`,
      `Requests | 1 | 0.01 | 2026-04-01T00:00:00.000Z | ${at}`,
      `Base (unused part of the period) | 1 | -14 | ${at} | 2026-05-01T00:00:00.000Z`,
    ]);
  });

  it('is refused the second time', async () => {
    const { cancel } = await subscribed();
    await cancel({ immediately: true }).expect(200);
    for (const body of [{ immediately: true }, {}]) {
      const answer = await cancel(body).expect(409);
      expect(answer.body.code).toBe('already_canceled');
    }
    await cancel({ immediately: 'yes' }).expect(400);
  });
});

describe('POST /v1/subscriptions/:id/uncancel', () => {
  it('lets a subscription go on that was to end', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const { customerId, subscriptionId } = await subscribe(
      workspace,
      await createPlan(workspace, fee('Base', 20)),
    );
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { body: refused } = await workspace.http.post(`${path}/uncancel`).expect(409);
    expect(refused.code).toBe('not_canceling');
    await workspace.http.post(`${path}/cancel`).expect(200);
    const { body } = await workspace.http.post(`${path}/uncancel`).expect(200);
    expect(body).toMatchObject({ status: 'active', cancelAt: null });
    await advanceClock(workspace, '2026-06-01T00:00:00Z');
    expect(printed(await invoicesOf(customerId))).toEqual([
      'cycle 2026-04-01 2026-05-01 20',
      'cycle 2026-05-01 2026-06-01 20',
    ]);
  });
});

describe('POST /v1/subscriptions/:id/pause and /resume', () => {
  async function subscribed() {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const plan = [
      fee('Base', 30, { timing: 'in_advance' }),
      fee('Backup', 10),
      perUnit('Requests', metricId, 1),
    ];
    const { customerId, subscriptionId } = await subscribe(workspace, await createPlan(workspace, ...plan));
    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    const post = (what: string, body?: object) =>
      workspace.http.post(`/v1/subscriptions/${subscriptionId}/${what}`, body);
    return { customerId, subscriptionId, post };
  }

  it('bills up to the pause, nothing of it, and from the resumption on', async () => {
    const { customerId, post } = await subscribed();
    await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
    const { body: paused } = await post('pause', { resumesAt: '2026-05-20T00:00:00Z' }).expect(200);
    expect(paused).toMatchObject({
      status: 'paused',
      pausedAt: '2026-04-10T00:00:00.000Z',
      resumesAt: '2026-05-20T00:00:00.000Z',
      currentPeriodStart: null,
      currentPeriodEnd: null,
    });
    await advanceClock(workspace, '2026-05-19T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-05-18T00:00:00Z');
    expect((await workspace.http.get('/v1/subscriptions?status=paused').expect(200)).body.data).toHaveLength(
      1,
    );
    await advanceClock(workspace, '2026-06-20T00:00:00Z');
    const [, upToPause, resumed, cycle, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    // 9 of the 30 days of April of what is in arrears.
    const at = '2026-04-10T00:00:00.000Z';
    expect(upToPause).toMatchObject({ kind: 'pause' });
    expect(upToPause!.lines.filter(({ type }) => type !== 'credit').map(lineOf)).toEqual([
      `Backup (part of the period) | 1 | 3 | 2026-04-01T00:00:00.000Z | ${at}`,
      `Requests | 1 | 1 | 2026-04-01T00:00:00.000Z | ${at}`,
    ]);
    const [start, end] = ['2026-05-20T00:00:00.000Z', '2026-06-20T00:00:00.000Z'];
    expect(resumed).toMatchObject({ kind: 'resume' });
    expect(resumed!.lines.map(lineOf)).toEqual([`Base | 1 | 30 | ${start} | ${end}`]);
    expect(cycle!.lines.map(lineOf)).toEqual([
      `Base | 1 | 30 | ${end} | 2026-07-20T00:00:00.000Z`,
      `Backup | 1 | 10 | ${start} | ${end}`,
      `Requests | 0 | 0 | ${start} | ${end}`,
    ]);
  });

  it('can be planned, and a plan taken back', async () => {
    const { subscriptionId, post } = await subscribed();
    const { body: planned } = await post('pause', { effectiveAt: 'period_end' }).expect(200);
    expect(planned).toMatchObject({ status: 'active', pausesAt: '2026-05-01T00:00:00.000Z' });
    expect((await post('resume').expect(200)).body).toMatchObject({ status: 'active', pausesAt: null });
    await post('pause', { effectiveAt: '2026-04-20T00:00:00Z' }).expect(200);
    await advanceClock(workspace, '2026-04-25T00:00:00Z');
    await post('resume', { effectiveAt: '2026-04-30T00:00:00Z' }).expect(200);
    const path = `/v1/subscriptions/${subscriptionId}`;
    expect((await workspace.http.get(path).expect(200)).body).toMatchObject({
      status: 'paused',
      pausedAt: '2026-04-20T00:00:00.000Z',
      resumesAt: '2026-04-30T00:00:00.000Z',
    });
    await advanceClock(workspace, '2026-04-30T00:00:00Z');
    expect((await workspace.http.get(path).expect(200)).body).toMatchObject({
      status: 'active',
      currentPeriodStart: '2026-04-30T00:00:00.000Z',
    });
  });

  it('charges one-time prices at the resumption, if the pause began at the end of the trial', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const plan = [
      fee('Base', 30, { timing: 'in_advance' }),
      fee('Setup', 100, { cadence: 'one_time', timing: 'in_advance' }),
    ];
    const { customerId, subscriptionId } = await subscribe(workspace, await createPlan(workspace, ...plan), {
      subscription: { trialDays: 14 },
    });
    const path = `/v1/subscriptions/${subscriptionId}`;
    await workspace.http.post(`${path}/pause`, { effectiveAt: 'period_end' }).expect(200);
    await advanceClock(workspace, '2026-05-01T00:00:00Z');
    expect(await invoicesOf(customerId)).toEqual([]);
    const resumed = (await workspace.http.post(`${path}/resume`).expect(200)).body as object;
    expect(resumed).toMatchObject({ status: 'active', currentPeriodEnd: '2026-06-01T00:00:00.000Z' });
    await advanceClock(workspace, '2026-05-02T00:00:00Z');
    const [first, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ kind: 'resume', total: 130 });
  });

  it('names what is wrong', async () => {
    const { post } = await subscribed();
    expect((await post('resume').expect(409)).body.code).toBe('not_paused');
    for (const [body, field] of [
      [{ effectiveAt: 'soon' }, 'effectiveAt'],
      [{ effectiveAt: '2026-04-01T00:00:00Z' }, 'effectiveAt'],
      [{ resumesAt: '2026-04-01T00:00:00Z' }, 'resumesAt'],
    ] as const) {
      const { body: refused } = await post('pause', body).expect(400);
      expect(refused).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
    await post('pause').expect(200);
    expect((await post('pause').expect(409)).body.code).toBe('already_paused');
    const { body: compute } = await post('invoices/compute').expect(409);
    expect(compute.code).toBe('subscription_paused');
    const { body: invoice } = await post('invoices').expect(409);
    expect(invoice.code).toBe('nothing_to_invoice');
  });
});

describe('a payment that fails', () => {
  it('makes the subscription past due until the invoice is paid', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    await workspace.http.post('/v1/customers', { id: 'late', name: 'Late' }).expect(201);
    const card = (test: string, more = {}) =>
      workspace.http.post('/v1/customers/late/payment-methods', { type: 'test', test, ...more }).expect(201);
    await card('pm_card_declineThenSucceed', { declines: 1 });
    const planId = await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' }));
    const { body: subscribed } = await workspace.http
      .post('/v1/subscriptions', { customerId: 'late', planId })
      .expect(201);
    // The first retry is due a day after the failure.
    await advanceClock(workspace, '2026-04-01T12:00:00Z');
    const status = async () =>
      (await workspace.http.get(`/v1/subscriptions/${subscribed.id}`).expect(200)).body.status;
    expect(await status()).toBe('past_due');
    const [invoice] = await invoicesOf('late');
    await workspace.http.post(`/v1/invoices/${invoice!.id}/pay`).expect(200);
    await advanceClock(workspace, '2026-04-01T18:00:00Z');
    expect(await status()).toBe('active');
  });
});

describe('POST /v1/subscriptions/:id/invoices/compute', () => {
  it('shows the very invoice that will be made, and changes nothing', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(
      workspace,
      fee('Base', 20, { timing: 'in_advance' }),
      perUnit('Requests', metricId, 0.01),
    );
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-04-20T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-04-19T00:00:00Z');
    const path = `/v1/subscriptions/${subscriptionId}/invoices/compute`;
    const { body: preview } = await workspace.http.post(path).expect(200);
    expect(preview).toMatchObject({
      subscriptionId,
      customerId,
      currency: 'USD',
      total: 20.01,
      periodStart: '2026-04-01T00:00:00.000Z',
      periodEnd: '2026-05-01T00:00:00.000Z',
      billedAt: '2026-05-01T00:00:00.000Z',
    });
    expect(await invoicesOf(customerId)).toHaveLength(1);
    await advanceClock(workspace, '2026-05-01T00:00:00Z');
    const [, invoice] = await invoicesOf(customerId);
    expect({ lines: invoice!.lines, total: invoice!.total }).toEqual({
      lines: preview.lines,
      total: preview.total,
    });
  });

  it('shows the last invoice of one that is to end, and none of one that has ended', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const { subscriptionId } = await subscribe(
      workspace,
      await createPlan(workspace, fee('Base', 20, { timing: 'in_advance' }), fee('Backup', 10)),
    );
    const path = `/v1/subscriptions/${subscriptionId}`;
    await workspace.http.post(`${path}/cancel`).expect(200);
    const { body: preview } = await workspace.http.post(`${path}/invoices/compute`).expect(200);
    expect(preview).toMatchObject({ total: 10, lines: [{ description: 'Backup' }] });
    await workspace.http.post(`${path}/cancel`, { immediately: true }).expect(200);
    const { body: refused } = await workspace.http.post(`${path}/invoices/compute`).expect(409);
    expect(refused.code).toBe('subscription_canceled');
  });
});

describe('POST /v1/subscriptions/:id/invoices', () => {
  it('bills the usage so far, which the next invoice leaves out', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const requests = await createMetric(workspace, 'request');
    const peak = await createMetric(workspace, 'load', { type: 'max', property: 'level' });
    const planId = await createPlan(
      workspace,
      fee('Backup', 10),
      perUnit('Requests', requests, 0.01),
      perUnit('Peak load', peak, 1),
    );
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const invoice = () => workspace.http.post(`/v1/subscriptions/${subscriptionId}/invoices`);
    const { body: refused } = await invoice().expect(409);
    expect(refused.code).toBe('nothing_to_invoice');

    await advanceClock(workspace, '2026-04-10T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
    await use(workspace, customerId, 'load', '2026-04-09T00:00:00Z', { level: 7 });
    // At this very instant: not before it, so the next invoice's.
    await use(workspace, customerId, 'request', '2026-04-10T00:00:00Z');
    const { body: interim } = await invoice().expect(201);
    const at = '2026-04-10T00:00:00.000Z';
    expect(interim).toMatchObject({ kind: 'interim', total: 0.01 });
    expect(interim.lines.map(lineOf)).toEqual([`Requests | 1 | 0.01 | 2026-04-01T00:00:00.000Z | ${at}`]);
    expect((await invoice().expect(409)).body.code).toBe('nothing_to_invoice');

    await advanceClock(workspace, '2026-04-20T00:00:00Z');
    await use(workspace, customerId, 'load', '2026-04-19T00:00:00Z', { level: 5 });
    await advanceClock(workspace, '2026-05-01T00:00:00Z');
    const [, cycle, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    const end = '2026-05-01T00:00:00.000Z';
    expect(cycle!.lines.map(lineOf)).toEqual([
      `Backup | 1 | 10 | 2026-04-01T00:00:00.000Z | ${end}`,
      `Requests | 1 | 0.01 | ${at} | ${end}`,
      `Peak load | 7 | 7 | 2026-04-01T00:00:00.000Z | ${end}`,
    ]);
  });

  it('gives the same invoice to the same idempotency key, and none once the subscription has ended', async () => {
    await freezeClock(workspace, '2026-04-01T00:00:00Z');
    const metricId = await createMetric(workspace, 'request');
    const planId = await createPlan(workspace, perUnit('Requests', metricId, 0.01));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-04-02T00:00:00Z');
    await use(workspace, customerId, 'request', '2026-04-01T00:00:00Z');
    const invoice = () =>
      workspace.http.post(`/v1/subscriptions/${subscriptionId}/invoices`).set('Idempotency-Key', 'now');
    const { body: first } = await invoice().expect(201);
    const again = await invoice().expect(201).expect('Idempotency-Replayed', 'true');
    expect(again.body).toEqual(first);
    await workspace.http
      .post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true })
      .expect(200);
    const { body: refused } = await workspace.http
      .post(`/v1/subscriptions/${subscriptionId}/invoices`)
      .expect(409);
    expect(refused.code).toBe('subscription_canceled');
  });
});
