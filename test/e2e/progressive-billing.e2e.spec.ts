import { beforeEach, describe, expect, it } from '@jest/globals';
import { deriveUlid, omit } from '#libs/kernel/core';
import { UsageWatchStore, type UsageWatch } from '#libs/usage';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import { ProgressiveInvoicer } from '../../libs/contexts/billing/progressive/progressive-invoicer.js';
import { beforeCommand } from '../support/before-command.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  Gate,
  subscribe,
  tiered,
  use,
  workspacePerTest,
} from '../support/index.js';
import { commandContextOf, untilEvent } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/*
 * Usage is invoiced as soon as it reaches a threshold of its plan. The invoice at the end of the period leaves it out.
 * Together the invoices charge what one invoice would.
 */

const { system, workspace, http, get, post, invoicesOf } = workspacePerTest();

describe('progressive billing', () => {
  it('invoices each threshold’s worth at once and the rest at the end, as shown before and as the ledger says again', async () => {
    const { planId } = await tieredPlan({ amountGte: 10 });
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    expect(await get(path)).toMatchObject({ billingThresholds: { amountGte: 10 } });
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 99 });
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    expect(await totalsOf(customerId)).toEqual([['cycle', 20]]);

    // 100 × 0.10, at the very instant at which the clock stands, and without its being moved.
    await use({ http }, customerId, 'call', '2026-01-03T00:00:00Z', { n: 1 });
    const invoiceId = deriveUlid('inv', '2026-01-01T00:00:00.000Z', subscriptionId, 'progressive', '1');
    await untilEvent(system, workspace.workspaceId, invoiceId, 'InvoiceOpened');
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    const [, first] = await invoicesOf(customerId);
    expect(first).toMatchObject({
      kind: 'progressive',
      total: 10,
      lines: [{ type: 'usage', quantity: 100, periodEnd: '2026-01-03T00:00:00.001Z' }],
    });

    // 7.50 more is not enough; 10.50 is. Then 1.00 is left.
    await use({ http }, customerId, 'call', '2026-01-03T00:00:00Z', { n: 150 });
    await advanceClock(workspace, '2026-01-10T00:00:00.000Z');
    expect(await totalsOf(customerId)).toHaveLength(2);
    await use({ http }, customerId, 'call', '2026-01-02T00:00:00Z', { n: 60 });
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-20T00:00:00Z', { n: 20 });
    await advanceClock(workspace, '2026-01-31T00:00:00.000Z');
    const shown = (await post(`${path}/invoices/compute`)) as InvoiceView;
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const [, , second, january] = await invoicesOf(customerId);
    expect(amountsOf(second!)).toEqual([
      ['usage', 20.5],
      ['progressive_credit', -10],
    ]);
    expect(second!.lines[1]).toMatchObject({
      description: 'Calls (already invoiced)',
      invoiced: { invoiceIds: [first!.id], billed: 10, counted: 20.5, atMost: 10 },
    });
    expect(january!.kind).toBe('cycle');
    expect(amountsOf(january!)).toEqual([
      ['usage', 21.5],
      ['flat', 20],
      ['progressive_credit', -20.5],
    ]);
    const withoutIds = ({ lines }: InvoiceView) => lines.map((line) => omit(line, ['id', 'usageWatermark']));
    expect(withoutIds(shown)).toEqual(withoutIds(january!));
    expect(shown.total).toBe(january!.total);
    const { body: link } = await http.get(`/v1/invoices/${january!.id}/link`).expect(200);
    const page = await (await fetch(link.url.replace('http://127.0.0.1:3000', system.url))).text();
    expect(page).toMatch(/Calls[^]*\$21\.50[^]*Calls \(already invoiced\)[^]*20\.50/);

    // Late: January comes to 4.00. What is given back is of the newest invoice first: 1.00, 10.50 and 6.00.
    await http
      .post('/v1/events/backfill', {
        customerId,
        eventName: 'call',
        timestamp: '2026-01-05T00:00:00Z',
        properties: { n: -290 },
      })
      .expect(200);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const february = (await invoicesOf(customerId)).at(-1)!;
    expect(amountsOf(february)).toEqual([
      ['usage', 0],
      ['flat', 20],
      ['late_usage', -17.5],
    ]);
    expect(february.lines[2]).toMatchObject({
      givesBack: [january!, second!, first!].map(({ id, lines }, i) => ({
        invoiceId: id,
        lineId: lines[0]!['id'],
        amount: [1, 10.5, 6][i],
      })),
    });
    for (const invoice of [first!, second!]) {
      const refused = await http.post(`/v1/invoices/${invoice.id}/void`, {}).expect(409);
      expect(refused.body.code).toBe('invoice_given_back');
    }
    const credit = ({ id, lines }: InvoiceView, amount: number) => {
      const note = { reason: 'other', lines: [{ lineId: lines[0]!['id'], amount }] };
      return http.post(`/v1/invoices/${id}/credit-note`, note);
    };
    for (const [invoice, amount] of [
      [january!, 0.01],
      [second!, 0.01],
      [first!, 4.01],
    ] as const)
      expect((await credit(invoice, amount).expect(400)).body.code).toBe('credit_exceeds_line');
    expect((await credit(first!, 4).expect(201)).body.total).toBe(4);
  });

  it('comes out the same where terms change, usage is invoiced by hand, and the subscription ends', async () => {
    const { planId, priceId } = await tieredPlan({ amountGte: 10 });
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    await advanceClock(workspace, '2026-01-02T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 120 });
    await advanceClock(workspace, '2026-01-10T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-09T00:00:00Z', { n: 20 });
    // 1.00 of the old price is left. The new one is for what comes from now on.
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    await http.patch(`/v1/prices/${priceId}`, { config }).expect(200);
    const amend = { addPrices: [priceId] };
    const { body: preview } = await http.post(`${path}/amend`, { ...amend, preview: true }).expect(200);
    const { body: amended } = await http.post(`${path}/amend`, amend).expect(200);
    expect(preview.invoice.total).toBe(1);
    expect(amended.invoice.total).toBe(1);
    await advanceClock(workspace, '2026-01-11T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-10T12:00:00Z', { n: 12 });
    await advanceClock(workspace, '2026-01-15T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-15T00:00:00Z', { n: 3 });
    await advanceClock(workspace, '2026-01-16T00:00:00.000Z');
    const { body: byHand } = await http.post(`${path}/invoices`).expect(201);
    expect(amountsOf(byHand)).toEqual([
      ['usage', 15],
      ['progressive_credit', -12],
    ]);
    await advanceClock(workspace, '2026-01-17T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-16T01:00:00Z', { n: 25 });
    await advanceClock(workspace, '2026-01-18T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-17T00:00:00Z', { n: 4 });
    await advanceClock(workspace, '2026-01-19T00:00:00.000Z');
    await http.post(`${path}/cancel`, { immediately: true }).expect(200);
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    const invoices = await invoicesOf(customerId);
    expect(invoices.map(({ kind }) => kind)).toEqual([
      'cycle',
      'progressive',
      'amendment',
      'progressive',
      'interim',
      'progressive',
      'final',
    ]);
    expect(amountsOf(invoices[5]!)).toEqual([['usage', 25]]);
    expect(amountsOf(invoices[6]!).filter(([type]) => type !== 'credit')).toEqual([
      ['usage', 29],
      ['progressive_credit', -25],
    ]);
    await use({ http }, customerId, 'call', '2026-01-18T00:00:00Z', { n: 1_000 });
    await advanceClock(workspace, '2026-01-21T00:00:00.000Z');
    expect(await invoicesOf(customerId)).toHaveLength(7);
  });

  it('goes by the subscription’s own threshold, waits with coupons, and adds up with drafts and voids', async () => {
    await http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
    const { planId } = await tieredPlan({ amountGte: 1 });
    const coupon = { id: 'HALF', name: 'Half', percentOff: 50, duration: 'once' };
    const { body: half } = await http.post('/v1/coupons', coupon).expect(201);
    const subscription = { billingThresholds: { amountGte: 10 }, startsAt: '2026-01-02T00:00:00Z' };
    const { customerId, subscriptionId } = await subscribe(workspace, planId, { subscription });
    const never = await subscribe(workspace, planId, { subscription: { billingThresholds: null } });
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    await http.post(`/v1/customers/${customerId}/coupons`, { couponId: half.id }).expect(201);
    for (const one of [customerId, never.customerId])
      await use({ http }, one, 'call', '2026-01-03T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-01-04T00:00:00.000Z');
    const [, draft] = await invoicesOf(customerId);
    expect(draft).toMatchObject({ kind: 'progressive', status: 'draft', total: 10 });
    expect(await totalsOf(never.customerId)).toEqual([['cycle', 20]]);
    // A draft stays what it is: what is used until it is opened is on the next invoice.
    await use({ http }, customerId, 'call', '2026-01-03T00:00:00Z', { n: 20 });
    await http.post(`/v1/invoices/${draft!.id}/approve`).expect(200);
    expect(await get(`/v1/invoices/${draft!.id}`)).toMatchObject({ total: 10 });
    await http.post(`/v1/invoices/${draft!.id}/void`, {}).expect(200);
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, {}).expect(200);
    await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
    const final = (await invoicesOf(customerId)).at(-1)!;
    // What was voided is written off, also for the coupon, which takes half of the 1.00 that is left.
    expect(amountsOf(final)).toEqual([
      ['usage', 11],
      ['progressive_credit', -10],
    ]);
    expect(final).toMatchObject({ total: 0.5, balanceCredited: 0 });
  });

  it('leaves what came late to the invoice of the period, so that coupons take their part off it', async () => {
    const { planId } = await tieredPlan({ amountGte: 10 });
    const { customerId } = await subscribe(workspace, planId);
    const coupon = { id: 'HALF', name: 'Half', percentOff: 50, duration: 'forever' };
    await http.post('/v1/coupons', coupon).expect(201);
    await http.post(`/v1/customers/${customerId}/coupons`, { couponId: 'HALF' }).expect(201);
    await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-20T00:00:00Z', { n: 50 });
    await use({ http }, customerId, 'call', '2026-02-02T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const [, , progressive, february] = await invoicesOf(customerId);
    expect(progressive!.kind).toBe('progressive');
    expect(amountsOf(progressive!)).toEqual([['usage', 10]]);
    expect(amountsOf(february!)).toEqual([
      ['usage', 10],
      ['flat', 20],
      ['progressive_credit', -10],
      ['late_usage', 5],
    ]);
    // 25 less half of 35.
    expect(february!.total).toBe(7.5);
  });

  it('refuses thresholds that cannot be, and names the field', async () => {
    const { planId } = await tieredPlan(null);
    const refused = async (billingThresholds: unknown) => {
      const { body } = await http.patch(`/v1/plans/${planId}`, { billingThresholds }).expect(400);
      expect(body.code).toBe('validation_failed');
      return body.details[0].field as string;
    };
    expect(await refused(5)).toBe('billingThresholds');
    expect(await refused([])).toBe('billingThresholds');
    expect(await refused({})).toBe('billingThresholds.amountGte');
    expect(await refused({ amountGte: 0 })).toBe('billingThresholds.amountGte');
    expect(await refused({ amountGte: '10' })).toBe('billingThresholds.amountGte');
    expect(await refused({ amountGte: 1, amountLte: 2 })).toBe('billingThresholds.amountLte');
    const body = { customerId: 'nobody', planId, billingThresholds: { amountGte: -1 } };
    const answer = await http.post('/v1/subscriptions', body).expect(400);
    expect(answer.body.details[0].field).toBe('billingThresholds.amountGte');
  });
});

describe('a threshold that is reached', () => {
  let customerId: string;
  let subscriptionId: string;
  let watch: UsageWatch;

  beforeEach(async () => {
    const { planId } = await tieredPlan({ amountGte: 1_000_000 });
    const own = { subscription: { billingThresholds: { amountGte: 10 } } };
    ({ customerId, subscriptionId } = await subscribe(workspace, planId, own));
    await advanceClock(workspace, '2026-01-02T00:00:00.000Z');
    watch = { workspaceId: workspace.workspaceId, customerId, watcher: subscriptionId };
  });

  /** Usage of 15.00 that nobody is told of. */
  async function useUnheard(): Promise<void> {
    await system.saga.get(UsageWatchStore, { strict: false }).endWatch(watch);
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 200 });
    await http.post(`/v1/subscriptions/${subscriptionId}/invoices/compute`).expect(200);
  }

  /** Somebody who has measured, and is about to decide. */
  async function holdLook(): Promise<{ done: Promise<void>; release: () => void }> {
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeCommand(system.saga, 'BillProgress', () => {
      reached.resolve();
      return held.promise;
    });
    const done = checkThreshold(subscriptionId);
    await Promise.race([reached.promise, done]);
    return { done, release: held.resolve };
  }

  /** By what they are for: several are made at one instant. */
  const usageOf = (invoices: InvoiceView[]) =>
    invoices
      .map(({ kind, lines }) => [
        kind,
        ...lines.filter(({ type }) => type !== 'flat' && type !== 'credit').map(({ amount }) => amount),
      ])
      .sort();

  it('is billed once by two who look at the same moment', async () => {
    await useUnheard();
    const gate = new Gate(2);
    beforeCommand(system.saga, 'BillProgress', () => gate.pass());
    await Promise.all([checkThreshold(subscriptionId), checkThreshold(subscriptionId)]);
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    expect(usageOf(await invoicesOf(customerId))).toEqual([['cycle'], ['progressive', 15]]);
  });

  it('is billed with the period that ends at the same moment', async () => {
    await useUnheard();
    const { done, release } = await holdLook();
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    release();
    await done;
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    expect(usageOf(await invoicesOf(customerId))).toEqual([['cycle'], ['cycle', 15]]);
  });

  it('is billed with the end of the subscription at the same moment', async () => {
    await useUnheard();
    const { done, release } = await holdLook();
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true }).expect(200);
    release();
    await done;
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    expect(usageOf(await invoicesOf(customerId))).toEqual([['cycle'], ['final', 15]]);
  });

  it('is left out by an end that was decided while its invoice was in the making', async () => {
    await useUnheard();
    const made = Promise.withResolvers<void>();
    beforeCommand(system.saga, 'CreateInvoice', () => made.promise);
    await checkThreshold(subscriptionId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { body: shown } = await http.post(`${path}/invoices/compute`).expect(200);
    expect(usageOf([shown])[0]!.slice(1)).toEqual([15, -15]);
    // Whoever needs the invoice before its own makes it.
    await http.post(`${path}/cancel`, { immediately: true }).expect(200);
    made.resolve();
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    expect(usageOf(await invoicesOf(customerId))).toEqual([
      ['cycle'],
      ['final', 15, -15],
      ['progressive', 15],
    ]);
  });
});

it('is found by ledger verify as it was billed', async () => {
  expect((await verificationOf(system)).found).toEqual([]);
});

/**
 * Creates a plan with these thresholds. A call costs 0.10, or 0.05 above 100 in a period. The fee in advance is 20.
 */
async function tieredPlan(billingThresholds: object | null): Promise<{ planId: string; priceId: string }> {
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(
    workspace,
    tiered('Calls', metricId),
    fee('Access', 20, { cadence: 'monthly', timing: 'in_advance' }),
  );
  await http.patch(`/v1/plans/${planId}`, { billingThresholds }).expect(200);
  const published = await post(`/v1/plans/${planId}/publish`);
  expect(published).toMatchObject({ billingThresholds });
  return { planId, priceId: published.prices[0].priceId };
}

/** Does what billing does when usage may have reached the threshold of a subscription. */
async function checkThreshold(subscriptionId: string): Promise<void> {
  const context = await commandContextOf(system, workspace.workspaceId);
  await system.saga
    .get(ProgressiveInvoicer, { strict: false })
    .billIfThresholdReached(context, subscriptionId);
}

async function totalsOf(customerId: string) {
  return (await invoicesOf(customerId)).map(({ kind, total }) => [kind, total]);
}

function amountsOf({ lines }: InvoiceView) {
  return lines.map(({ type, amount }) => [type, amount]);
}
