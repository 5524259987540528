import { describe, expect, it } from '@jest/globals';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  chargedMetric as chargedMetricWith,
  createPlan,
  ledgerBalances,
  settle,
  workspacePerTest,
} from '../../../test/support/index.js';

const { system, workspace, post, put, create, invoicesOf } = workspacePerTest();
const chargedMetric = chargedMetricWith(post);
const FEE = { name: 'Base', config: { model: 'flat', amount: 10, currency: 'USD' } };

/**
 * A customer whose subscriptions pay 10 USD at the end of each month, with 10 credits. Usage costs half a credit a unit. What no credits
 * cover costs 0.02 USD a credit.
 */
async function subscribed({ subscriptions = 1, settings = {} } = {}) {
  if (Object.keys(settings).length > 0) await put('/v1/billing-settings', settings);
  const charged = await chargedMetric({ overage: 'allow', overagePrice: 0.02 });
  const { customerId } = charged;
  const planId = await createPlan({ http: workspace.http }, FEE);
  const ids: string[] = [];
  for (let i = 0; i < subscriptions; i++)
    ids.push((await create('/v1/subscriptions', { customerId, planId })).id);
  await create(`${charged.path}/grants`, { amount: 10 });
  return { ...charged, planId, subscriptionIds: ids };
}

const usedOf = ({ creditsUsed }: { creditsUsed: { metricName: string; credits: number }[] }) =>
  creditsUsed.map(({ metricName, credits }) => [metricName, credits]);
const overageOf = ({ lines }: { lines: { type: string }[] }) =>
  lines.filter(({ type }) => type === 'overage');

describe('usage that no credits cover', () => {
  it('is billed on the invoice of the period, once, in credits at their overage price', async () => {
    const { customerId, use, metricId, subscriptionIds } = await subscribed();
    // 25 credits: 10 are there, 15 are not.
    await use(50);
    await settle(workspace);
    const upcoming = await post(`/v1/subscriptions/${subscriptionIds[0]}/invoices/compute`);
    const line = {
      type: 'overage',
      description: 'Tokens, AI credits (beyond the prepaid credits)',
      metricId,
      creditType: 'ai-credits',
      quantity: 15,
      unitPrice: 0.02,
      amount: 0.3,
    };
    expect(overageOf(upcoming)).toMatchObject([line]);
    expect(usedOf(upcoming)).toEqual([['Tokens', 10]]);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const [january] = await invoicesOf(customerId);
    expect(january).toMatchObject({ total: 10.3, subscriptionId: subscriptionIds[0] });
    expect(overageOf(january!)).toMatchObject([line]);
    await use(4);
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    await advanceClock(workspace, '2026-04-01T00:00:00Z');
    const all = await invoicesOf(customerId);
    expect(all.map(({ total }) => total)).toEqual([10.3, 10.04, 10]);
    expect(all.map(usedOf)).toEqual([[['Tokens', 10]], [], []]);
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 30.34, revenue: -30.34 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is billed on the next invoice if its invoice is voided, for its own period', async () => {
    const { customerId, use } = await subscribed();
    await use(50);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const [january] = await invoicesOf(customerId);
    await post(`/v1/invoices/${january!.id}/void`);
    await settle(workspace);
    await use(4);
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    const february = (await invoicesOf(customerId)).at(-1)!;
    const [start, end, next] = ['01', '02', '03'].map((month) => `2026-${month}-01T00:00:00.000Z`);
    expect(overageOf(february)).toMatchObject([
      { quantity: 15, amount: 0.3, periodStart: start, periodEnd: end },
      { quantity: 2, amount: 0.04, periodStart: end, periodEnd: next },
    ]);
    expect(usedOf(february)).toEqual([['Tokens', 10]]);
    // Voided twice, it still keeps its period.
    await post(`/v1/invoices/${february.id}/void`);
    await advanceClock(workspace, '2026-04-01T00:00:00Z');
    const march = (await invoicesOf(customerId)).at(-1)!;
    expect(overageOf(march)).toEqual(
      overageOf(february).map((line) => ({ ...line, id: expect.any(String) })),
    );
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is on one of two invoices, or on the one that subscriptions share', async () => {
    const apart = await subscribed({ subscriptions: 2 });
    await apart.use(50);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const invoices = await invoicesOf(apart.customerId);
    expect(invoices.flatMap(overageOf)).toMatchObject([{ quantity: 15 }]);
    expect(invoices.flatMap(usedOf)).toEqual([['Tokens', 10]]);
  });

  it('names a subscription on the invoice that subscriptions share', async () => {
    const { customerId, use, subscriptionIds } = await subscribed({
      subscriptions: 2,
      settings: { invoiceGrouping: 'customer' },
    });
    await use(50);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const [invoice, ...others] = await invoicesOf(customerId);
    expect([invoice!.total, others]).toEqual([20.3, []]);
    expect(usedOf(invoice!)).toEqual([['Tokens', 10]]);
    const [line] = overageOf(invoice!) as unknown as { subscriptionId: string }[];
    expect(subscriptionIds).toContain(line!.subscriptionId);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is on the last invoice of a subscription that ends', async () => {
    const { customerId, use, subscriptionIds } = await subscribed();
    await use(50);
    await advanceClock(workspace, '2026-01-17T00:00:00Z');
    await post(`/v1/subscriptions/${subscriptionIds[0]}/cancel`, { immediately: true });
    await settle(workspace);
    const invoices = await invoicesOf(customerId);
    expect(invoices).toMatchObject([{ kind: 'final' }]);
    expect(overageOf(invoices[0]!)).toMatchObject([{ quantity: 15 }]);
  });

  it('is on an invoice by itself if the end of the subscription bills nothing', async () => {
    const { customerId, use, subscriptionIds } = await subscribed();
    await use(50);
    await post(`/v1/subscriptions/${subscriptionIds[0]}/cancel`, { immediately: true });
    await settle(workspace);
    expect(await invoicesOf(customerId)).toMatchObject([
      {
        kind: 'overage',
        total: 0.3,
        subscriptionId: null,
        lines: [{ type: 'overage', quantity: 15 }],
        creditsUsed: [{ credits: 10 }],
      },
    ]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is on an invoice by itself together with the used credits of all credit types', async () => {
    const { customerId, use, subscriptionIds } = await subscribed();
    await post('/v1/credit-types', { type: 'images', name: 'Images', unitPrice: 0.01, currency: 'USD' }, 201);
    const aggregation = { type: 'count' };
    const { id: metricId } = await create('/v1/metrics', { name: 'Images', eventName: 'image', aggregation });
    await create('/v1/credit-types/images/rates', { metricId, creditsPerUnit: 2 });
    await create(`/v1/customers/${customerId}/wallets/images/grants`, { amount: 5 });
    await use(50);
    await post('/v1/events', { customerId, eventName: 'image' });
    await post(`/v1/subscriptions/${subscriptionIds[0]}/cancel`, { immediately: true });
    await settle(workspace);
    const [invoice] = await invoicesOf(customerId);
    expect(invoice).toMatchObject({ kind: 'overage', total: 0.3 });
    expect(usedOf(invoice!)).toEqual([
      ['Tokens', 10],
      ['Images', 2],
    ]);
  });

  it('is billed where a period ends with a change of terms, also if that bills nothing', async () => {
    const { customerId, use } = await chargedMetric({ overage: 'allow', overagePrice: 0.02 });
    // The old plan is paid in advance, and the new one in arrears: nothing is due between them.
    const paid = await createPlan({ http: workspace.http }, { ...FEE, timing: 'in_advance' });
    const owed = await createPlan({ http: workspace.http }, FEE);
    const { id } = await create('/v1/subscriptions', { customerId, planId: paid });
    const change = { planId: owed, effectiveAt: 'period_end' };
    await post(`/v1/subscriptions/${id}/schedule-amendment`, change);
    // An invoice that is made later takes the overage up to then.
    await settle(workspace);
    await use(30);
    expect(await post(`/v1/subscriptions/${id}/invoices/compute`, {})).toMatchObject({
      total: 0.3,
      lines: [{ type: 'overage', quantity: 15 }],
    });
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await invoicesOf(customerId)).toMatchObject([
      { total: 10 },
      { kind: 'overage', total: 0.3, lines: [{ type: 'overage', quantity: 15 }] },
    ]);
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    expect((await invoicesOf(customerId)).map(({ total }) => total)).toEqual([10, 0.3, 10]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is billed on request as the preview shows it, also by a plan with fees alone', async () => {
    const { customerId, use, subscriptionIds } = await subscribed();
    await use(50);
    await advanceClock(workspace, '2026-01-17T00:00:00Z');
    const path = `/v1/subscriptions/${subscriptionIds[0]}/invoices`;
    const upcoming = await post(`${path}/compute`);
    const requested = await create(path);
    expect(requested).toMatchObject({ kind: 'interim', total: 0.3, lines: [{ quantity: 15 }] });
    const shown = (line: object) => ({ ...line, id: '', subscriptionId: '', periodStart: '', periodEnd: '' });
    expect(overageOf(requested).map(shown)).toEqual(overageOf(upcoming).map(shown));
    expect(usedOf(requested)).toEqual(usedOf(upcoming));
    await post(path, undefined, 409);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const [, january, ...others] = await invoicesOf(customerId);
    expect([january!.total, overageOf(january!), usedOf(january!), others]).toEqual([10, [], [], []]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is billed up to a pause, once', async () => {
    const { customerId, use, subscriptionIds } = await subscribed();
    const [path] = subscriptionIds.map((id) => `/v1/subscriptions/${id}`);
    await use(50);
    await advanceClock(workspace, '2026-01-17T00:00:00Z');
    await post(`${path}/pause`);
    await settle(workspace);
    expect((await invoicesOf(customerId)).flatMap(overageOf)).toMatchObject([{ quantity: 15 }]);
    await post(`${path}/resume`);
    await use(4);
    await advanceClock(workspace, '2026-02-17T00:00:02Z');
    const billed = (await invoicesOf(customerId)).flatMap(overageOf);
    expect(billed).toMatchObject([{ quantity: 15 }, { quantity: 2 }]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('stays on a draft that is computed again', async () => {
    const { customerId, use } = await subscribed({ settings: { autoApprove: false } });
    await use(50);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const [draft] = await invoicesOf(customerId);
    expect(draft).toMatchObject({ status: 'draft', total: 10.3 });
    await use(50);
    expect(await post(`/v1/invoices/${draft!.id}/approve`)).toMatchObject({
      status: 'open',
      total: 10.3,
      creditsUsed: [{ credits: 10 }],
    });
  });
});

describe('a trial', () => {
  /** A customer in a trial until 15 January, whose plan includes 10 credits. Usage costs half a credit a unit. */
  async function inTrial(overage: 'allow' | 'block') {
    const charged = await chargedMetric({ overage, overagePrice: 0.02 });
    const planId = await createPlan({ http: workspace.http }, FEE);
    const allowance = { planId, credits: 10, every: 'period' };
    await create('/v1/credit-types/ai-credits/allowances', allowance);
    const { customerId } = charged;
    const { id } = await create('/v1/subscriptions', { customerId, planId, trialDays: 14 });
    await settle(workspace);
    return { ...charged, planId, path: `/v1/subscriptions/${id}` };
  }

  it('bills no overage of its usage, and the periods after it do', async () => {
    const { customerId, use, path } = await inTrial('allow');
    await use(50);
    expect(overageOf(await post(`${path}/invoices/compute`))).toEqual([]);
    await advanceClock(workspace, '2026-01-10T00:00:00Z');
    await use(6);
    await advanceClock(workspace, '2026-01-15T00:00:00Z');
    await use(24);
    await advanceClock(workspace, '2026-02-15T00:00:00Z');
    // 12 credits after the trial, and its period has 10 of its own.
    const invoices = await invoicesOf(customerId);
    expect(invoices.flatMap(overageOf)).toMatchObject([{ quantity: 2, amount: 0.04 }]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('bills no overage either if it ends with a cancellation', async () => {
    const { customerId, use, path, planId } = await inTrial('allow');
    await use(50);
    await post(`${path}/cancel`, { immediately: true });
    await settle(workspace);
    await create('/v1/subscriptions', { customerId, planId });
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect((await invoicesOf(customerId)).flatMap(overageOf)).toEqual([]);
  });

  it('refuses usage beyond its allowance if the credit type says so', async () => {
    const { use } = await inTrial('block');
    expect(await use(20)).toMatchObject({ accepted: [expect.any(String)] });
    expect(await use(1)).toMatchObject({ accepted: [], rejected: [{ code: 'insufficient_credits' }] });
  });
});

describe('usage that credits cover', () => {
  it('is shown on the next invoice of a bill, and makes no invoice alone', async () => {
    const { customerId, use, metricId, planId, subscriptionIds } = await subscribed();
    await use(5);
    await post(`/v1/subscriptions/${subscriptionIds[0]}/cancel`, { immediately: true });
    await settle(workspace);
    expect(await invoicesOf(customerId)).toEqual([]);
    const { id } = await create('/v1/subscriptions', { customerId, planId });
    await advanceClock(workspace, '2026-01-17T00:00:00Z');
    // The bill of the pause is made before these 3.5 credits are recorded by themselves. With the first 2.5, they are 6.
    await use(7);
    await post(`/v1/subscriptions/${id}/pause`);
    await settle(workspace);
    const invoices = await invoicesOf(customerId);
    expect(invoices).toMatchObject([{ kind: 'pause', lines: [{ type: 'flat' }] }]);
    expect(invoices[0]!.creditsUsed).toEqual([
      { creditType: 'ai-credits', creditTypeName: 'AI credits', metricId, metricName: 'Tokens', credits: 6 },
    ]);
    expect((await verificationOf(system)).found).toEqual([]);
  });
});
