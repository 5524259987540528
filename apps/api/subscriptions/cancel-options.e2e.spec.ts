import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CreditNotes } from '#libs/invoicing';
import { customerWithCard } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  requestsOf,
  startSystem,
  use,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

/** The middle of April, and its end. */
const HALF = '2026-04-16T00:00:00.000Z';
const END = '2026-05-01T00:00:00.000Z';

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
});
beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-04-01T00:00:00Z');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => system?.stop());

const { get, post, invoicesOf } = requestsOf(() => workspace);
const notesOf = async (invoiceId: string) => (await get(`/v1/invoices/${invoiceId}/credit-notes`)).data;
const balancesOf = async (customerId: string) => (await get(`/v1/customers/${customerId}/balances`)).data;

/** 30 in advance and 10 in arrears a month, and a cent a request, with VAT of 20 %: until the middle of April. */
async function subscribed({
  card = 'pm_card_visa',
  annual = false,
  coupons = [],
}: { card?: string | null; annual?: boolean; coupons?: string[] } = {}) {
  const { id: rate } = await post('/v1/tax-rates', { name: 'VAT', percentage: 20 }, 201);
  await workspace.http.put('/v1/billing-settings', { defaultTaxRateIds: [rate] }).expect(200);
  const metricId = await createMetric(workspace, 'request');
  const cover = fee('Cover', 365, { timing: 'in_advance', cadence: 'annual' });
  const planId = await createPlan(
    workspace,
    fee('Base', 30, { timing: 'in_advance' }),
    fee('Backup', 10),
    perUnit('Requests', metricId, 0.01),
    ...(annual ? [cover] : []),
  );
  const customerId = await customerWithCard(workspace, card);
  const created = await post('/v1/subscriptions', { customerId, planId, coupons }, 201);
  await advanceClock(workspace, HALF);
  await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
  const path = `/v1/subscriptions/${created.id}`;
  const cancel = (body: object) => post(`${path}/cancel`, body);
  return { customerId, path, cancel };
}

describe('POST /v1/subscriptions/:id/cancel with credit refund', () => {
  it('refunds the unused part with its tax to the card, and charges in full what is in arrears', async () => {
    const { customerId, cancel, path } = await subscribed();
    const cancelOptions = { credit: 'refund', finalInvoice: true };
    expect(await cancel({ immediately: true, credit: 'refund' })).toMatchObject({
      status: 'canceled',
      cancelOptions,
    });
    await advanceClock(workspace, END);
    const [first, final, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    // 15 of 30 days of 30.00, and 20 %.
    expect(await notesOf(first!.id)).toMatchObject([
      { total: 18, refundAmount: 18, balanceAmount: 0, refundStatus: 'succeeded', reason: 'order_change' },
    ]);
    // Half of 10.00 and one request, and 20 %.
    expect(final).toMatchObject({ kind: 'final', total: 6.01, status: 'paid' });
    expect(await balancesOf(customerId)).toEqual([]);
    expect((await get(path)).cancelOptions).toEqual(cancelOptions);
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('refunds once, though the note is issued by a process that dies before it is numbered', async () => {
    const { customerId, cancel } = await subscribed();
    const died = new Error('the process died');
    const completing = jest.spyOn(system.saga.get(CreditNotes, { strict: false }), 'complete');
    completing.mockRejectedValueOnce(died);
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    expect(completing.mock.calls.length).toBeGreaterThan(1);
    const [first] = await invoicesOf(customerId);
    expect(await notesOf(first!.id)).toMatchObject([
      { total: 18, refundAmount: 18, refundStatus: 'succeeded', number: expect.any(String) },
    ]);
  });

  it('refunds what was paid for a fee that a coupon discounts', async () => {
    await post('/v1/coupons', { id: 'THIRD', name: 'A third', percentOff: 33.33, duration: 'once' }, 201);
    const { customerId, cancel } = await subscribed({ coupons: ['THIRD'] });
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    const [first] = await invoicesOf(customerId);
    // 30.00 less 10.00 was paid: half of 20.00, and 20 %.
    expect(await notesOf(first!.id)).toMatchObject([{ total: 12, refundAmount: 12 }]);
  });

  it('refunds at the end of the period what was paid for longer', async () => {
    const { customerId, cancel } = await subscribed({ annual: true });
    expect(await cancel({ credit: 'refund' })).toMatchObject({
      cancelAtPeriodEnd: true,
      cancelOptions: { credit: 'refund', finalInvoice: true },
    });
    await advanceClock(workspace, '2026-05-02T00:00:00.000Z');
    const [first, final] = await invoicesOf(customerId);
    // 335 of 365 days of 365.00, and 20 %.
    expect(await notesOf(first!.id)).toMatchObject([{ total: 402, refundAmount: 402 }]);
    expect(final).toMatchObject({ kind: 'final', total: 12.01 });
  });

  it('shows the last invoice beforehand, without what is refunded', async () => {
    const { cancel, path } = await subscribed({ annual: true });
    await cancel({ credit: 'refund' });
    expect(await post(`${path}/invoices/compute`)).toMatchObject({ total: 12.01 });
  });

  it('gives back on an invoice what an upgrade or a downgrade left no payment for', async () => {
    const plans = [];
    for (const amount of [30, 90, 15])
      plans.push(await createPlan(workspace, fee(`For ${amount}`, amount, { timing: 'in_advance' })));
    const [middle, large, small] = plans as [string, string, string];
    const start = async (planId: string) => {
      const customerId = await customerWithCard(workspace);
      const { id } = await post('/v1/subscriptions', { customerId, planId: middle }, 201);
      await advanceClock(workspace, (await get('/v1/sandbox/clock')).now);
      return { customerId, id, planId };
    };
    const upgraded = await start(large);
    const downgraded = await start(small);
    await advanceClock(workspace, HALF);
    for (const { id, planId } of [upgraded, downgraded]) {
      await post(`/v1/subscriptions/${id}/amend`, { planId });
      await advanceClock(workspace, (await get('/v1/sandbox/clock')).now);
      await post(`/v1/subscriptions/${id}/cancel`, { immediately: true, credit: 'refund' });
    }
    await advanceClock(workspace, END);
    // 45.00 less 15.00 of the old plan were paid: half of 90.00 is more.
    const [, ofUpgrade, final, ...others] = await invoicesOf(upgraded.customerId);
    expect(others).toEqual([]);
    expect(await notesOf(ofUpgrade!.id)).toEqual([]);
    expect(final).toMatchObject({ kind: 'final', total: 0, balanceCredited: 45 });
    expect(await balancesOf(upgraded.customerId)).toMatchObject([{ balance: 45 }]);
    // Half of 15.00 was paid with the 15.00 that were given back, so nothing was paid in money.
    expect(
      (await invoicesOf(downgraded.customerId)).map(({ kind, balanceCredited }) => [kind, balanceCredited]),
    ).toEqual([
      ['cycle', 0],
      ['amendment', 7.5],
      ['final', 7.5],
    ]);
    expect(await balancesOf(downgraded.customerId)).toMatchObject([{ balance: 15 }]);
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('lowers what is owed where nothing was paid', async () => {
    const { customerId, cancel } = await subscribed({ card: null });
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    const [first, final] = await invoicesOf(customerId);
    expect(await notesOf(first!.id)).toEqual([]);
    // What is in arrears is 5.01; of the 15.00 that are given back, the rest with its tax lowers the debt.
    expect(final).toMatchObject({ kind: 'final', total: 0 });
    expect(first).toMatchObject({ total: 36, amountReduced: 11.99, amountDue: 24.01 });
    expect(await balancesOf(customerId)).toEqual([]);
  });
});

describe('POST /v1/subscriptions/:id/cancel without credit or a final invoice', () => {
  it('keeps what was paid with credit none', async () => {
    const { customerId, cancel } = await subscribed();
    await cancel({ immediately: true, credit: 'none' });
    await advanceClock(workspace, END);
    const [first, final] = await invoicesOf(customerId);
    expect(await notesOf(first!.id)).toEqual([]);
    expect(final).toMatchObject({ kind: 'final', total: 6.01 });
    expect(await balancesOf(customerId)).toEqual([]);
  });

  it('waives what is in arrears without a final invoice', async () => {
    const { customerId, cancel } = await subscribed();
    await cancel({ immediately: true, credit: 'none', finalInvoice: false });
    await advanceClock(workspace, END);
    expect(await invoicesOf(customerId)).toHaveLength(1);
  });

  it('waives what has come late, too, where an invoice only gives back', async () => {
    const { customerId, cancel } = await subscribed();
    await advanceClock(workspace, '2026-05-16T00:00:00.000Z');
    await use(workspace, customerId, 'request', '2026-04-20T00:00:00Z');
    await cancel({ immediately: true, finalInvoice: false });
    await advanceClock(workspace, '2026-06-01T00:00:00.000Z');
    const [, , final] = await invoicesOf(customerId);
    expect(final!.lines.map(({ type, amount }) => [type, amount])).toEqual([['credit', -15.48]]);
  });

  it('names what it does not know', async () => {
    const { path } = await subscribed();
    for (const body of [{ credit: 'card' }, { credit: null }, { finalInvoice: 'no' }])
      expect(await post(`${path}/cancel`, body, 400)).toMatchObject({ code: 'validation_failed' });
  });
});
