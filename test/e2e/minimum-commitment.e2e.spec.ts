import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verificationOf } from '../support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  startSystem,
  subscribe,
  use,
  type System,
} from '../support/index.js';

/* A plan's minimum commitment: what is shown beforehand is billed, and late usage counts towards it. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

interface Line {
  type: string;
  amount: number;
  [field: string]: unknown;
}

const withoutIds = (lines: Line[]) => lines.map(({ id: _, ...line }) => line);
const amountsOf = (lines: Line[]) => lines.map(({ type, amount }) => [type, amount]);

it('is billed up to at the end of each period, with what comes late, as shown before and as the ledger says again', async () => {
  const workspace = await system.workspace();
  const { http } = workspace;
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(
    workspace,
    perUnit('Calls', metricId, 0.1),
    fee('Access', 20, { cadence: 'monthly', timing: 'in_advance' }),
  );
  const commitTo = async (minimumCommitment: number) => {
    await http.patch(`/v1/plans/${planId}`, { minimumCommitment }).expect(200);
    await http.post(`/v1/plans/${planId}/publish`).expect(200);
  };
  await commitTo(100);
  const { customerId, subscriptionId } = await subscribe(workspace, planId);
  const path = `/v1/subscriptions/${subscriptionId}`;
  expect((await http.get(path).expect(200)).body).toMatchObject({ minimumCommitment: 100 });
  const newest = async () =>
    (await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200)).body.data[0];
  const toCome = async () => (await http.post(`${path}/invoices/compute`).expect(200)).body;

  // 100 × 0.10 is billed early, without what is missing to the minimum.
  await advanceClock(workspace, '2026-01-10T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2026-01-05T00:00:00Z', { n: 100 });
  const { body: early } = await http.post(`${path}/invoices`).expect(201);
  expect(amountsOf(early.lines)).toEqual([['usage', 10]]);
  await advanceClock(workspace, '2026-01-31T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2026-01-20T00:00:00Z', { n: 200 });
  const shown = await toCome();

  // January: 20 of the fee, 10 billed early and 20 now; 50 are missing to 100. And the fee for February.
  await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
  const january = await newest();
  expect(amountsOf(january.lines)).toEqual([
    ['usage', 20],
    ['flat', 20],
    ['minimum', 50],
  ]);
  expect(january.lines[2]).toMatchObject({
    description: 'Growth (up to the minimum commitment)',
    priceId: null,
    commitment: { due: 100, counted: 50, parts: [{ planId, planVersion: 2, minimum: 100 }] },
  });
  const withoutWatermarks = (lines: Line[]) =>
    withoutIds(lines).map(({ usageWatermark: _, ...line }) => line);
  expect(withoutWatermarks(shown.lines)).toEqual(withoutWatermarks(january.lines));

  // Late for January: 100 × 0.10, of the time that was billed early too. All of it had been paid up to the minimum.
  await use({ http }, customerId, 'call', '2026-01-06T00:00:00Z', { n: 40 });
  await use({ http }, customerId, 'call', '2026-01-21T00:00:00Z', { n: 60 });
  await advanceClock(workspace, '2026-02-15T00:00:00.000Z');
  await commitTo(160);
  const { body: preview } = await http.post(`${path}/migrate`, { preview: true }).expect(200);
  expect(preview.invoice ?? null).toBeNull();
  await http.post(`${path}/migrate`, {}).expect(200);
  const shownInFebruary = await toCome();
  await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
  // February: half of 100 and half of 160 is 130, less the fee of 20.
  const february = await newest();
  expect(amountsOf(february.lines)).toEqual([
    ['usage', 0],
    ['flat', 20],
    ['minimum', 110],
    ['late_usage', 4],
    ['late_usage', 6],
    ['minimum', -10],
  ]);
  expect(february.lines.at(-1)).toMatchObject({
    commitment: { due: 100, counted: 60, countedBefore: 50, invoiceId: january.id },
    givesBack: [{ invoiceId: january.id, lineId: january.lines[2].id, amount: 10 }],
  });
  expect(withoutWatermarks(shownInFebruary.lines)).toEqual(withoutWatermarks(february.lines));
  const { body: refused } = await http
    .post(`/v1/invoices/${january.id}/credit-note`, {
      reason: 'duplicate',
      lines: [{ lineId: january.lines[2].id, amount: 40.01 }],
    })
    .expect(400);
  expect(refused.code).toBe('credit_exceeds_line');

  const { body: link } = await http.get(`/v1/invoices/${february.id}/link`).expect(200);
  const page = await (await fetch(link.url.replace('http://127.0.0.1:3000', system.url))).text();
  expect(page).toMatch(/up to the minimum commitment[^]*\$130\.00[^]*\$20\.00[^]*\$110\.00/);

  // Half of March: 80 are due, and half of the fee counts and is given back.
  await advanceClock(workspace, '2026-03-16T12:00:00.000Z');
  await http.post(`${path}/cancel`, { immediately: true }).expect(200);
  await advanceClock(workspace, '2026-03-17T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([
    ['usage', 0],
    ['credit', -10],
    ['minimum', 70],
  ]);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('counts what came late towards it once, where an earlier draft puts off that it is billed', async () => {
  const workspace = await system.workspace();
  const { http } = workspace;
  await http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
  await freezeClock(workspace, '2026-02-01T00:00:00.000Z');
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(workspace, perUnit('Calls', metricId, 0.1));
  await http.patch(`/v1/plans/${planId}`, { minimumCommitment: 100 }).expect(200);
  await http.post(`/v1/plans/${planId}/publish`).expect(200);
  const { customerId, subscriptionId } = await subscribe(workspace, planId);
  const newest = async () =>
    (await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200)).body.data[0];
  const approve = (id: string) => http.post(`/v1/invoices/${id}/approve`).expect(200);

  // February stays a draft, so nothing that comes late is billed before it is opened. 20.00 of March are billed early.
  await advanceClock(workspace, '2026-03-10T00:00:00.000Z');
  const february = await newest();
  expect(amountsOf(february.lines)).toEqual([
    ['usage', 0],
    ['minimum', 100],
  ]);
  await use({ http }, customerId, 'call', '2026-03-05T00:00:00Z', { n: 200 });
  const { body: early } = await http.post(`/v1/subscriptions/${subscriptionId}/invoices`).expect(201);
  expect(amountsOf(early.lines)).toEqual([['usage', 20]]);
  await approve(early.id);

  // 10.00 come late for it, and 30.00 after it: 50.00 are billed of March by its end, and 50.00 missing.
  await use({ http }, customerId, 'call', '2026-03-06T00:00:00Z', { n: 100 });
  await advanceClock(workspace, '2026-03-25T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2026-03-20T00:00:00Z', { n: 300 });
  await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
  const march = await newest();
  expect(amountsOf(march.lines)).toEqual([
    ['usage', 30],
    ['minimum', 50],
  ]);

  // Then the 10.00 are billed, and 10.00 less are missing: March is 20 + 30 + 50 + 10 - 10.
  await approve(march.id);
  await approve(february.id);
  await advanceClock(workspace, '2026-05-01T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([
    ['usage', 0],
    ['minimum', 100],
    ['late_usage', 10],
    ['minimum', -10],
  ]);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('of a year is billed up to on the invoice that ends the year, with monthly invoices and with what comes late', async () => {
  const workspace = await system.workspace();
  const { http } = workspace;
  await freezeClock(workspace, '2026-01-31T00:00:00.000Z');
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(
    workspace,
    { ...perUnit('Calls', metricId, 0.1), cadence: 'monthly' },
    fee('Access', 240, { cadence: 'annual', timing: 'in_advance' }),
  );
  // An interval that is shorter than the billing interval, of a new plan and by a change of prices.
  const { body: yearlyPrice } = await http
    .post('/v1/prices', fee('Year', 1, { cadence: 'annual' }))
    .expect(201);
  const monthly = { minimumCommitment: { amount: 100, interval: 'monthly' } };
  await http.patch(`/v1/plans/${planId}`, monthly).expect(200);
  for (const request of [
    http.post('/v1/plans', { name: 'Yearly', prices: [yearlyPrice.id], ...monthly }),
    http.patch(`/v1/plans/${planId}`, { prices: [yearlyPrice.id] }),
  ])
    expect((await request.expect(400)).body.details[0].field).toBe('minimumCommitment.interval');
  const minimumCommitment = { amount: 1200, interval: 'annual' };
  const { body: plan } = await http.patch(`/v1/plans/${planId}`, { minimumCommitment }).expect(200);
  expect(plan.minimumCommitment).toEqual(minimumCommitment);
  await http.post(`/v1/plans/${planId}/publish`).expect(200);
  const { customerId, subscriptionId } = await subscribe(workspace, planId);
  const path = `/v1/subscriptions/${subscriptionId}`;
  expect((await http.get(path).expect(200)).body).toMatchObject({
    minimumCommitment,
    billingInterval: 'monthly',
  });
  const newest = async () =>
    (await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200)).body.data[0];
  await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([['flat', 240]]);

  // 20.00 of usage in the first month, and 10.00 for it that come late: each on a monthly invoice, without a minimum.
  await advanceClock(workspace, '2026-02-20T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2026-02-10T00:00:00Z', { n: 200 });
  await advanceClock(workspace, '2026-02-28T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([['usage', 20]]);
  await use({ http }, customerId, 'call', '2026-02-11T00:00:00Z', { n: 100 });
  await advanceClock(workspace, '2026-03-31T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([
    ['usage', 0],
    ['late_usage', 10],
  ]);

  // The year: 240.00 of the fee and 80.00 of usage, so 880.00 are missing. And the fee for the next year.
  await advanceClock(workspace, '2027-01-30T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2027-01-15T00:00:00Z', { n: 500 });
  const { body: shown } = await http.post(`${path}/invoices/compute`).expect(200);
  await advanceClock(workspace, '2027-01-31T00:00:00.000Z');
  const year = await newest();
  expect(amountsOf(year.lines)).toEqual([
    ['usage', 50],
    ['flat', 240],
    ['minimum', 880],
  ]);
  expect(amountsOf(shown.lines)).toEqual(amountsOf(year.lines));
  const [start, end] = ['2026-01-31T00:00:00.000Z', '2027-01-31T00:00:00.000Z'];
  expect(year.lines[2]).toMatchObject({
    periodStart: start,
    periodEnd: end,
    commitment: {
      due: 1200,
      counted: 320,
      parts: [{ minimum: 1200, interval: 'annual', start, end, period: { start, end } }],
    },
  });

  // Late for the last month of the year: 30.00 that had been paid up to the minimum.
  await use({ http }, customerId, 'call', '2027-01-20T00:00:00Z', { n: 300 });
  await advanceClock(workspace, '2027-02-28T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([
    ['usage', 0],
    ['late_usage', 30],
    ['minimum', -30],
  ]);

  // The end on 2 May: 91 of 365 days, 299.18 of 1200.00 and 59.84 of 240.00.
  await advanceClock(workspace, '2027-05-02T00:00:00.000Z');
  await http.post(`${path}/cancel`, { immediately: true }).expect(200);
  await advanceClock(workspace, '2027-05-03T00:00:00.000Z');
  expect(amountsOf((await newest()).lines)).toEqual([
    ['usage', 0],
    ['credit', -180.16],
    ['minimum', 239.34],
  ]);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('is in the forecast with what fees and usage lack to it', async () => {
  const workspace = await system.workspace();
  const { http } = workspace;
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const subscribeTo = async (amount: number, minimumCommitment: unknown) => {
    const planId = await createPlan(
      workspace,
      perUnit('Calls', metricId, 0.1),
      fee('Access', amount, { cadence: 'monthly', timing: 'in_advance' }),
    );
    if (minimumCommitment !== null) {
      await http.patch(`/v1/plans/${planId}`, { minimumCommitment }).expect(200);
      await http.post(`/v1/plans/${planId}/publish`).expect(200);
    }
    return subscribe(workspace, planId);
  };
  const committed = await subscribeTo(30, 100);
  // A twelfth of 1,200.00 is 100.00: 10.00 are missing.
  await subscribeTo(90, { amount: 1200, interval: 'annual' });
  // Its fee and its usage are more than its minimum, and cover nothing of the others.
  const beyond = await subscribeTo(50, 55);
  await subscribeTo(7, null);
  // It lacks 40.00 until its end in May, and ends then.
  const ending = await subscribeTo(0, 40);
  await http
    .post(`/v1/subscriptions/${ending.subscriptionId}/cancel`, { cancelAt: '2026-05-20T00:00:00.000Z' })
    .expect(200);
  const paused = await subscribeTo(0, 500);
  await http.post(`/v1/subscriptions/${paused.subscriptionId}/pause`, {}).expect(200);
  for (const month of ['01', '02', '03']) {
    await advanceClock(workspace, `2026-${month}-10T00:00:00.000Z`);
    for (const { customerId } of [committed, beyond])
      await use({ http }, customerId, 'call', `2026-${month}-05T00:00:00Z`, { n: 200 });
  }
  await advanceClock(workspace, '2026-04-10T00:00:00.000Z');

  const { body } = await http.get('/v1/analytics/forecast').expect(200);
  // Each month has 20.00 of usage of two customers. The first lacks 100.00 - 30.00 - 20.00.
  const about = { currency: 'USD', fees: 177, usage: 40 };
  expect(body.data).toEqual([
    { month: '2026-05', ...about, minimums: 100, total: 317 },
    { month: '2026-06', ...about, minimums: 60, total: 277 },
    { month: '2026-07', ...about, minimums: 60, total: 277 },
  ]);
});

it('is in the forecast with what its own part of common invoices lacks to it', async () => {
  const workspace = await system.workspace();
  const { http } = workspace;
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  await http.put('/v1/billing-settings', { invoiceGrouping: 'customer' }).expect(200);
  const planOf = async (eventName: string, amount: number, minimumCommitment: number) => {
    const metricId = await createMetric(workspace, eventName, { type: 'sum', property: 'n' }, eventName);
    const planId = await createPlan(workspace, perUnit(eventName, metricId, 0.1), fee('Access', amount));
    await http.patch(`/v1/plans/${planId}`, { minimumCommitment }).expect(200);
    await http.post(`/v1/plans/${planId}/publish`).expect(200);
    return planId;
  };
  const [calls, storage] = [await planOf('call', 30, 100), await planOf('stored', 0, 55)];
  const subscribeAgain = async (customerId: string, planId: string) =>
    (await http.post('/v1/subscriptions', { customerId, planId }).expect(201)).body.id as string;
  // Two plans with a metric each: 20.00 and 30.00 of usage a month.
  const north = await subscribe(workspace, calls);
  await subscribeAgain(north.customerId, storage);
  // One plan twice: both bill the same usage of 20.00, and a coupon takes the half off the second one.
  const south = await subscribe(workspace, calls);
  const half = await subscribeAgain(south.customerId, calls);
  await http
    .post('/v1/coupons', { id: 'HALF', name: 'Half', percentOff: 50, duration: 'forever' })
    .expect(201);
  await http.post(`/v1/subscriptions/${half}/coupons`, { couponId: 'HALF' }).expect(201);
  for (const month of ['01', '02', '03']) {
    await advanceClock(workspace, `2026-${month}-10T00:00:00.000Z`);
    const at = `2026-${month}-05T00:00:00Z`;
    await use({ http }, north.customerId, 'call', at, { n: 200 });
    await use({ http }, north.customerId, 'stored', at, { n: 300 });
    await use({ http }, south.customerId, 'call', at, { n: 200 });
  }
  await advanceClock(workspace, '2026-04-10T00:00:00.000Z');

  const { body } = await http.get('/v1/analytics/forecast').expect(200);
  // The first lacks 100.00 - 30.00 - 20.00, the second 55.00 - 30.00, the third as the first, and the fourth 100.00 - 30.00 - 10.00.
  expect(body.data[0]).toEqual({
    month: '2026-05',
    currency: 'USD',
    fees: 90,
    usage: 80,
    minimums: 185,
    total: 355,
  });
});
