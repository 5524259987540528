import { describe, expect, it, jest } from '@jest/globals';
import { Subscriptions } from '#libs/contexts/subscriptions';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import { BillInvoicer } from '../../libs/contexts/billing/invoice/bill-invoicer.js';
import { beforeCommand } from '../support/before-command.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  Gate,
  perUnit,
  subscribe,
  tiered,
  use,
  workspacePerTest,
} from '../support/index.js';
import { commandContextOf, eventsOf, untilEvent } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/*
 * Usage that comes after its period was billed is on the next invoice, once. The last test verifies that the ledger says
 * the same.
 */

const { system, workspace, http, get, newestInvoice } = workspacePerTest();

describe('late usage', () => {
  it('is on the next invoice by the tiers of its own period, once, however late, in both directions', async () => {
    const { customerId, subscriptionId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    // 80 × 0.10.
    const january = await newestInvoice(customerId);
    expect(january).toMatchObject({ total: 8, lines: [{ type: 'usage', amount: 8 }] });

    await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-20T12:30:00Z', { n: 50 });
    await use({ http }, customerId, 'call', '2026-02-02T00:00:00Z', { n: 10 });
    // January comes to 100 × 0.10 + 30 × 0.05 = 11.50 now.
    const shown = await http.post(`/v1/subscriptions/${subscriptionId}/invoices/compute`).expect(200);
    expect(shown.body).toMatchObject({ total: 4.5 });
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const february = await newestInvoice(customerId);
    expect(february).toMatchObject({ total: 4.5, lines: [{ type: 'usage', quantity: 10, amount: 1 }, {}] });
    const [late] = lateLinesOf(february);
    expect(late).toEqual({
      id: expect.any(String),
      subscriptionId,
      type: 'late_usage',
      description: 'Calls (late usage)',
      priceId: january.lines[0]!.priceId,
      priceVersion: 1,
      metricId: january.lines[0]!.metricId,
      metricVersion: 1,
      usageWatermark: expect.any(String),
      quantity: 50,
      amount: 3.5,
      periodStart: '2026-01-01T00:00:00.000Z',
      periodEnd: '2026-02-01T00:00:00.000Z',
      late: {
        invoiceId: january.id,
        usageWatermark: january.lines[0]!.usageWatermark,
        billed: 8,
        counted: 11.5,
        quantities: [{ billed: 80, counted: 130 }],
      },
    });
    expect((shown.body as InvoiceView).lines.map(({ id: _, ...line }) => line)).toEqual(
      february.lines.map(({ id: _, ...line }) => line),
    );

    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    const march = await newestInvoice(customerId);
    expect(march).toMatchObject({ total: 0, lines: [{ type: 'usage', quantity: 0 }] });

    await advanceClock(workspace, '2026-12-15T00:00:00.000Z');
    const correction = { idempotencyKey: 'correction' };
    await backfill(customerId, '2026-01-31T23:59:59.999Z', -100, correction);
    await backfill(customerId, '2026-01-31T23:59:59.999Z', -100, correction);
    await backfill(customerId, '2026-02-01T00:00:00Z', 5);
    await advanceClock(workspace, '2027-01-01T00:00:00.000Z');
    // January comes to 30 × 0.10 = 3.00: 8.50 less. February to 15 × 0.10 = 1.50: 0.50 more.
    const december = await newestInvoice(customerId);
    expect(lateLinesOf(december)).toMatchObject([
      { periodStart: '2026-01-01T00:00:00.000Z', quantity: -100, amount: -8.5 },
      { periodStart: '2026-02-01T00:00:00.000Z', quantity: 5, amount: 0.5 },
    ]);
    expect(december).toMatchObject({ total: 0, balanceCredited: 8 });

    const { body: link } = await http.get(`/v1/invoices/${february.id}/link`).expect(200);
    const page = await (await fetch(link.url.replace('http://127.0.0.1:3000', system.url))).text();
    expect(page).toMatch(/Calls \(late usage\)[^]*130[^]*\$11\.50[^]*80[^]*\$8\.00[^]*\$3\.50/);
  });

  it('gives back no more than is left of what was billed, by whatever was given back before', async () => {
    const { customerId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    await http.post(`/v1/invoices/${january.id}/void`, {}).expect(200);
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(lateLinesOf(await newestInvoice(customerId))).toEqual([]);
    await backfill(customerId, '2026-01-02T00:00:00Z', 10);
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    expect(lateLinesOf(await newestInvoice(customerId))).toMatchObject([{ quantity: 10, amount: 1 }]);
    await backfill(customerId, '2026-01-02T00:00:00Z', -60);
    await advanceClock(workspace, '2026-05-01T00:00:00.000Z');
    // It comes to 0.00 after 6.00, of which only the late 1.00 was ever charged.
    expect(lateLinesOf(await newestInvoice(customerId))).toMatchObject([{ quantity: -60, amount: -1 }]);
  });

  it('that arrives in a pause is on the last invoice if the subscription is canceled in the pause', async () => {
    const { customerId, subscriptionId } = await subscribeToTiers();
    await advanceClock(workspace, '2026-01-06T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-05T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-01-16T00:00:00.000Z');
    await http.post(`/v1/subscriptions/${subscriptionId}/pause`, {}).expect(200);
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    await use({ http }, customerId, 'call', '2026-01-10T00:00:00Z', { n: 2 });
    await use({ http }, customerId, 'call', '2026-01-18T00:00:00Z', { n: 1000 });
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, {}).expect(200);
    await advanceClock(workspace, '2026-01-21T00:00:00.000Z');
    const last = await newestInvoice(customerId);
    expect(last).toMatchObject({ total: 0.2, lines: [{ type: 'late_usage', quantity: 2, amount: 0.2 }] });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('that did not arrive in a pause causes no invoice if the subscription is canceled in the pause', async () => {
    const { customerId, subscriptionId } = await subscribeToTiers();
    await advanceClock(workspace, '2026-01-16T00:00:00.000Z');
    await http.post(`/v1/subscriptions/${subscriptionId}/pause`, {}).expect(200);
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, {}).expect(200);
    await advanceClock(workspace, '2026-01-21T00:00:00.000Z');
    const { body: invoices } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect(invoices.data).toMatchObject([{ status: 'void', number: null, lines: [] }, { total: 0 }]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('that made a period cheaper leaves the rest of it to be credited, and all of it once its invoice is void', async () => {
    await http.put('/v1/billing-settings', { autoCollect: false }).expect(200);
    const { customerId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    expect(january).toMatchObject({ total: 8, status: 'open' });
    await use({ http }, customerId, 'call', '2026-02-01T00:00:00Z', { n: 40 });
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const february = await newestInvoice(customerId);
    expect(february).toMatchObject({ total: 1, balanceCredited: 0 });
    const lineId = january.lines[0]!.id;
    const giving = { invoiceId: january.id, lineId, amount: 3 };
    expect(lateLinesOf(february)).toMatchObject([{ amount: -3, givesBack: [giving] }]);
    const refused = await http.post(`/v1/invoices/${january.id}/void`, {}).expect(409);
    expect(refused.body.code).toBe('invoice_given_back');
    const credit = (amount: number) =>
      http.post(`/v1/invoices/${january.id}/credit-note`, { reason: 'other', lines: [{ lineId, amount }] });
    expect((await credit(5.01).expect(400)).body.code).toBe('credit_exceeds_line');
    expect((await credit(4).expect(201)).body.total).toBe(4);
    // 1.00 is left of it, though it comes to 3.00 less again.
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    const march = await newestInvoice(customerId);
    expect(lateLinesOf(march)).toMatchObject([{ amount: -0.6, givesBack: [{ ...giving, amount: 0.6 }] }]);
    // What it gives back takes off what January still owes.
    expect(march).toMatchObject({ total: 0, balanceCredited: 0.6 });
    expect(await get(`/v1/invoices/${january.id}`)).toMatchObject({ amountDue: 3.4 });
    await http.post(`/v1/invoices/${february.id}/void`, {}).expect(200);
    expect((await credit(3.41).expect(400)).body.code).toBe('credit_exceeds_line');
    expect((await credit(3.4).expect(201)).body.total).toBe(3.4);
  });

  it('is given back newest invoice first, with the tax that was paid on each', async () => {
    const rate = async (percentage: number): Promise<string> =>
      (await http.post('/v1/tax-rates', { name: 'VAT', percentage }).expect(201)).body.id;
    const [before, since] = [await rate(20), await rate(10)];
    const { customerId } = await subscribeToTiers();
    const taxBy = (id: string) => http.patch(`/v1/customers/${customerId}`, { taxRateIds: [id] }).expect(200);
    await taxBy(before);
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    await taxBy(since);
    await backfill(customerId, '2026-01-02T00:00:00Z', 20);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const february = await newestInvoice(customerId);
    expect([january.total, february.total]).toEqual([9.6, 2.2]);
    await backfill(customerId, '2026-01-02T00:00:00Z', -50);
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    const march = await newestInvoice(customerId);
    const of = (invoice: InvoiceView, amount: number) => ({
      invoiceId: invoice.id,
      lineId: invoice.lines.at(-1)!.id,
      amount,
    });
    // 2.00 of the newer, with 0.20 of tax, and 3.00 of the older, with 0.60.
    expect(lateLinesOf(march)).toMatchObject([
      { amount: -2, quantity: -50, taxRateIds: [since], givesBack: [of(february, 2)] },
      { amount: -3, quantity: 0, taxRateIds: [before], givesBack: [of(january, 3)] },
    ]);
    expect(march).toMatchObject({ total: 0, balanceCredited: 5.8 });
    const note = await http.post(`/v1/invoices/${january.id}/credit-note`, { reason: 'other' }).expect(201);
    expect(note.body).toMatchObject({ total: 6, taxes: [{ amount: 1 }] });
    const none = await http.post(`/v1/invoices/${february.id}/credit-note`, { reason: 'other' }).expect(400);
    expect(none.body.code).toBe('credit_exceeds_invoice');
  });

  it('that is given back on a draft is recorded anew when the draft is computed again', async () => {
    const { customerId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    await http.put('/v1/billing-settings', { gracePeriodHours: 48 }).expect(200);
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(lateLinesOf(await newestInvoice(customerId))).toMatchObject([{ amount: -3 }]);
    await backfill(customerId, '2026-01-02T00:00:00Z', -10);
    await advanceClock(workspace, '2026-03-04T00:00:00.000Z');
    const february = await newestInvoice(customerId);
    expect(february.status).toBe('paid');
    expect(lateLinesOf(february)).toMatchObject([{ amount: -4, givesBack: [{ amount: 4 }] }]);
    expect((await eventsOf(system, workspace.workspaceId, january.id)).slice(-4)).toEqual([
      'InvoiceLinesGivenBack',
      'InvoiceGiveBackReturned',
      'InvoiceLinesGivenBack',
      'InvoiceReduced',
    ]);
    const note = await http.post(`/v1/invoices/${january.id}/credit-note`, { reason: 'other' }).expect(201);
    expect(note.body.total).toBe(4);
  });

  it('is not recorded as given back by an invoice that could not be made, and is made without it', async () => {
    const { customerId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    let attempts = 0;
    const died = Promise.withResolvers<void>();
    // The period's end and its bill both lead to a task that makes the invoice. The second begins when the first has died.
    const issuing = system.saga.get(BillInvoicer, { strict: false });
    const ensure = issuing.ensureCreated.bind(issuing);
    jest.spyOn(issuing, 'ensureCreated').mockImplementation(async (...asked) => {
      await died.promise;
      return ensure(...asked);
    });
    beforeCommand(system.saga, 'CreateInvoice', async () => {
      attempts += 1;
      if (attempts > 1) return;
      await backfill(customerId, '2026-01-02T00:00:00Z', 30);
      died.resolve();
      throw new Error('The process dies here');
    });
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(attempts).toBe(2);
    expect(lateLinesOf(await newestInvoice(customerId))).toEqual([]);
    expect((await eventsOf(system, workspace.workspaceId, january.id)).slice(-2)).toEqual([
      'InvoiceLinesGivenBack',
      'InvoiceGiveBackReturned',
    ]);
    const note = await http.post(`/v1/invoices/${january.id}/credit-note`, { reason: 'other' }).expect(201);
    expect(note.body.total).toBe(8);
  });

  it('is recorded as its invoice says, if two make that at once and count different usage', async () => {
    const { customerId, subscriptionId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 80 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const january = await newestInvoice(customerId);
    await backfill(customerId, '2026-01-02T00:00:00Z', -30);
    const { workspaceId } = workspace;
    const recorded = Promise.withResolvers<void>();
    const billOf = async () => {
      const subscriptions = system.api.get(Subscriptions, { strict: false });
      return (await subscriptions.require(workspaceId, subscriptionId)).lastBill!;
    };
    const isMade = async () => untilEvent(system, workspaceId, (await billOf()).invoiceId, 'InvoiceCreated');
    const makeToo = async () => {
      const issuing = system.api.get(BillInvoicer, { strict: false });
      await issuing.ensureCreated(await commandContextOf(system, workspaceId), await billOf());
    };
    let other: Promise<void> | undefined;
    // One is about to make the invoice when the other counts 10 less, records that, and then comes too late to make it.
    beforeCommand(system.saga, 'CreateInvoice', async () => {
      if (other) return isMade();
      await backfill(customerId, '2026-01-02T00:00:00Z', -10);
      other = makeToo();
      await recorded.promise;
    });
    beforeCommand(system.api, 'CreateInvoice', () => {
      recorded.resolve();
      return isMade();
    });
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    await other;
    expect(lateLinesOf(await newestInvoice(customerId))).toMatchObject([{ amount: -3 }]);
    const note = await http.post(`/v1/invoices/${january.id}/credit-note`, { reason: 'other' }).expect(201);
    expect(note.body.total).toBe(5);
  });

  it('waits while an earlier invoice is a draft, which follows its usage by itself', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 48 }).expect(200);
    const { customerId, subscriptionId } = await subscribeToTiers();
    await use({ http }, customerId, 'call', '2026-01-01T00:00:00Z', { n: 10 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const draft = await newestInvoice(customerId);
    expect(draft).toMatchObject({ status: 'draft', total: 1 });
    await backfill(customerId, '2026-01-05T00:00:00Z', 20);
    await use({ http }, customerId, 'call', '2026-02-01T00:00:00Z', { n: 1 });
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    const final = await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    expect(final.status).toBe(200);
    await advanceClock(workspace, '2026-02-10T00:00:00.000Z');
    const { body } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    // 30 × 0.10 on the first, 1 × 0.10 on the last, and nothing twice.
    expect(body.data).toMatchObject([
      { total: 0.1, lines: [{ type: 'usage' }] },
      { total: 3, lines: [{ type: 'usage' }] },
    ]);
  });

  it('is billed once by two invoices that are made at the same moment', async () => {
    const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metricId, 0.1));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await advanceClock(workspace, '2026-02-10T00:00:00.000Z');
    await backfill(customerId, '2026-01-15T00:00:00Z', 30);
    await backfill(customerId, '2026-02-05T00:00:00Z', 10);
    // The request and the task that follows from its decision both make the invoice, and so the one after it waits for them.
    const gate = new Gate(2);
    beforeCommand(system.api, 'CreateInvoice', () => gate.pass());
    beforeCommand(system.saga, 'CreateInvoice', () => gate.pass());
    const path = `/v1/subscriptions/${subscriptionId}`;
    await http.post(`${path}/invoices`).expect(201);
    await http.post(`${path}/cancel`, { immediately: true }).expect(200);
    await advanceClock(workspace, '2026-02-11T00:00:00.000Z');
    const { body } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    const lines = (body.data as InvoiceView[]).flatMap(lateLinesOf);
    expect(lines).toMatchObject([{ periodStart: '2026-01-01T00:00:00.000Z', amount: 3 }]);
  });

  it('is found by ledger verify as it was billed', async () => {
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

async function backfill(customerId: string, timestamp: string, n: number, more: object = {}): Promise<void> {
  const event = { customerId, eventName: 'call', timestamp, properties: { n }, ...more };
  const { body } = await http.post('/v1/events/backfill', event).expect(200);
  expect(body.rejected).toEqual([]);
}

/** Subscribes a new customer to a plan of calls: 0.10 each, or 0.05 above 100 in a period. */
async function subscribeToTiers(): Promise<{ customerId: string; subscriptionId: string }> {
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  return subscribe(workspace, await createPlan(workspace, tiered('Calls', metricId)));
}

function lateLinesOf({ lines }: InvoiceView) {
  return lines.filter(({ type }) => type === 'late_usage');
}
