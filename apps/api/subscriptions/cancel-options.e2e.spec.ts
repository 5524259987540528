import { describe, expect, it } from '@jest/globals';
import type { InvoiceView } from '../invoices/invoice.dto.js';
import { Pool } from 'pg';
import { beforeCommand } from '../../../test/support/before-command.js';
import { customerWithCard } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  perUnit,
  settle,
  use,
  workspacePerTest,
} from '../../../test/support/index.js';

/** The middle of April, and its end. */
const HALF = '2026-04-16T00:00:00.000Z';
const END = '2026-05-01T00:00:00.000Z';

const { system, workspace, get, post, create, invoicesOf } = workspacePerTest({
  now: '2026-04-01T00:00:00Z',
});

describe('POST /v1/subscriptions/:id/cancel with credit refund', () => {
  it('refunds what the last invoice leaves over, with its tax, to the card that paid', async () => {
    const { customerId, cancel, path } = await subscribed();
    const cancelOptions = { credit: 'refund', finalInvoice: true };
    expect(await cancel({ immediately: true, credit: 'refund' })).toMatchObject({
      status: 'canceled',
      cancelOptions,
    });
    await advanceClock(workspace, END);
    const invoices = await invoicesOf(customerId);
    // Half of 30.00, less half of 10.00 and one request, and 20 %.
    expect(invoices).toMatchObject([
      {
        total: 36,
        status: 'paid',
        refunds: [{ byInvoiceId: invoices[1]!.id, amount: 11.99, status: 'succeeded' }],
      },
      { kind: 'final', total: 0, balanceCredited: 11.99, excessTo: 'refund', refunds: [] },
    ]);
    expect(await balancesOf(customerId)).toEqual([]);
    expect((await get(path)).cancelOptions).toEqual(cancelOptions);
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('refunds once, though a process dies between the refund and its record', async () => {
    const { customerId, cancel } = await subscribed();
    let tries = 0;
    beforeCommand(system.saga, 'CompletePaymentRefund', async () => {
      if (++tries === 1) throw new Error('the process died');
    });
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    expect(tries).toBe(2);
    const { rows } = await system.api
      .get(Pool, { strict: false })
      .query(
        `SELECT r.amount FROM payments.sandbox_refunds r JOIN payments.sandbox_charges c ON c.key = r.charge_key WHERE c.workspace_id = $1`,
        [workspace.workspaceId],
      );
    expect(rows.map(({ amount }: { amount: string }) => Number(amount))).toEqual([11.99]);
    expect(refundsOf(await invoicesOf(customerId))).toEqual([[[11.99, 'succeeded']], []]);
  });

  it('refunds at the end of the period what was paid for longer, and shows it beforehand', async () => {
    const { customerId, cancel, path } = await subscribed({ annual: true });
    expect(await cancel({ credit: 'refund' })).toMatchObject({
      cancelAtPeriodEnd: true,
      cancelOptions: { credit: 'refund', finalInvoice: true },
    });
    // 335 of 365 days of 365.00, less 10.01, and 20 %.
    expect(await post(`${path}/invoices/compute`)).toMatchObject({ total: 0, balanceCredited: 389.99 });
    await advanceClock(workspace, '2026-05-02T00:00:00.000Z');
    expect(refundsOf(await invoicesOf(customerId))).toEqual([[[389.99, 'succeeded']], []]);
  });

  it('finds the money that paid for the plan before a change', async () => {
    const plans: string[] = [];
    for (const amount of [30, 90, 15])
      plans.push(await createPlan(workspace, fee(`For ${amount}`, amount, { timing: 'in_advance' })));
    const [middle, large, small] = plans as [string, string, string];
    const start = async (planId: string) => {
      const customerId = await customerWithCard(workspace);
      const { id } = await create('/v1/subscriptions', { customerId, planId: middle });
      return { customerId, path: `/v1/subscriptions/${id}`, planId };
    };
    const [upgraded, downgraded] = [await start(large), await start(small)];
    await advanceClock(workspace, HALF);
    for (const { path, planId } of [upgraded, downgraded]) {
      await post(`${path}/amend`, { planId });
      await settle(workspace);
      await post(`${path}/cancel`, { immediately: true, credit: 'refund' });
    }
    await advanceClock(workspace, END);
    // 30.00, and 45.00 less 15.00 were paid: of 60.00, half a month of the first plan is kept.
    expect(refundsOf(await invoicesOf(upgraded.customerId))).toEqual([
      [[15, 'succeeded']],
      [[30, 'succeeded']],
      [],
    ]);
    expect(await balancesOf(upgraded.customerId)).toEqual([]);
    // The change put 7.50 on the balance, where it stays; the end gives back the other 7.50.
    expect(refundsOf(await invoicesOf(downgraded.customerId))).toEqual([[[7.5, 'succeeded']], [], []]);
    expect(await balancesOf(downgraded.customerId)).toMatchObject([{ balance: 7.5 }]);
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('leaves on the balance what the balance had paid', async () => {
    const { customerId, cancel } = await subscribed();
    const [first] = await invoicesOf(customerId);
    await create(`/v1/invoices/${first!.id}/credit-note`, { reason: 'other', amount: 12, to: 'balance' });
    await advanceClock(workspace, '2026-05-16T00:00:00.000Z');
    await cancel({ immediately: true, credit: 'refund', finalInvoice: false });
    await settle(workspace);
    // The renewal cost 48.01 with what was in arrears, of which the balance paid 12.00; 18.58 of it are unused: 16 of 31 days.
    const [, renewal] = await invoicesOf(customerId);
    expect(renewal).toMatchObject({ balanceApplied: 12, refunds: [{ amount: 6.58 }] });
    expect(await balancesOf(customerId)).toMatchObject([{ balance: 12 }]);
  });

  it('lowers what is owed where nothing was paid', async () => {
    const { customerId, cancel } = await subscribed({ card: null });
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    const [first, final] = await invoicesOf(customerId);
    expect(final).toMatchObject({ kind: 'final', total: 0 });
    expect(first).toMatchObject({ total: 36, amountReduced: 11.99, amountDue: 24.01, refunds: [] });
    expect(await balancesOf(customerId)).toEqual([]);
  });

  it('gives back once, though a draft that could bear it is opened before a crash is made good', async () => {
    const customerId = await customerWithCard(workspace);
    const base = await createPlan(workspace, fee('Base', 30, { timing: 'in_advance' }));
    const large = await createPlan(
      workspace,
      fee('Large', 90, { timing: 'in_advance' }),
      fee('Arrears', 150),
    );
    const { id } = await create('/v1/subscriptions', { customerId, planId: base });
    await advanceClock(workspace, '2026-04-02T00:00:00.000Z');
    await workspace.http.put('/v1/billing-settings', { gracePeriodHours: 240 }).expect(200);
    await post(`/v1/subscriptions/${id}/amend`, { planId: large });
    await advanceClock(workspace, '2026-04-09T00:00:00.000Z');
    await post(`/v1/subscriptions/${id}/cancel`, { immediately: true, credit: 'refund' });
    await settle(workspace);
    const [, draft, final] = await invoicesOf(customerId);
    let tries = 0;
    // The draft of 58.00 has nothing to refund, so the first invoice refunds 29.00, and 2.00 would go to the balance.
    beforeCommand(system.saga, 'CreditBalance', async () => {
      if (++tries > 1) return;
      await post(`/v1/invoices/${draft!.id}/approve`);
      throw new Error('the process died');
    });
    await post(`/v1/invoices/${final!.id}/approve`);
    await settle(workspace);
    const invoices = await invoicesOf(customerId);
    expect(invoices.at(-1)).toMatchObject({ balanceCredited: 31 });
    // By then the draft is paid: it refunds the 2.00, and no more.
    expect(refundsOf(invoices)).toEqual([[[29, 'succeeded']], [[2, 'succeeded']], []]);
    expect(await balancesOf(customerId)).toEqual([]);
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('gives back to the balance and the card in all what each had paid', async () => {
    const customerId = await customerWithCard(workspace);
    const { id: manual } = await create('/v1/invoices', {
      customerId,
      lines: [{ description: 'Advance', unitPrice: 20 }],
    });
    await settle(workspace);
    await create(`/v1/invoices/${manual}/credit-note`, { reason: 'other', to: 'balance' });
    const planId = await createPlan(workspace, fee('Base', 30, { timing: 'in_advance' }));
    const { id } = await create('/v1/subscriptions', { customerId, planId });
    await advanceClock(workspace, HALF);
    await post(`/v1/subscriptions/${id}/cancel`, { immediately: true, credit: 'refund' });
    await settle(workspace);
    const [, invoice] = await invoicesOf(customerId);
    // The balance paid 20.00 and has 15.00 of that back; the card paid 10.00.
    expect(invoice).toMatchObject({ balanceApplied: 20, amountPaid: 10, refunds: [] });
    const note = { reason: 'other', to: 'refund' };
    expect(await create(`/v1/invoices/${invoice!.id}/credit-note`, note)).toMatchObject({
      refundAmount: 10,
      balanceAmount: 5,
    });
    expect(await balancesOf(customerId)).toMatchObject([{ balance: 20 }]);
  });

  it('leaves a credit note what is left of the invoice', async () => {
    const { customerId, cancel } = await subscribed();
    await cancel({ immediately: true, credit: 'refund' });
    await advanceClock(workspace, END);
    const [first] = await invoicesOf(customerId);
    const note = (amount: number, status: number) =>
      post(`/v1/invoices/${first!.id}/credit-note`, { reason: 'other', amount, to: 'refund' }, status);
    expect(await note(18.01, 400)).toMatchObject({ code: 'credit_exceeds_invoice' });
    expect(await note(18, 201)).toMatchObject({ refundAmount: 18 });
  });
});

describe('POST /v1/subscriptions/:id/cancel without credit or a final invoice', () => {
  it('keeps what was paid with credit none', async () => {
    const { customerId, cancel } = await subscribed();
    await cancel({ immediately: true, credit: 'none' });
    await advanceClock(workspace, END);
    const [first, final] = await invoicesOf(customerId);
    expect(first).toMatchObject({ refunds: [] });
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

async function balancesOf(customerId: string) {
  return (await get(`/v1/customers/${customerId}/balances`)).data;
}

/**
 * Subscribes a customer, and moves the clock to the middle of April. A month costs 30 in advance and 10 in arrears. A request costs a
 * cent. VAT is 20 %.
 */
async function subscribed({
  card = 'pm_card_visa',
  annual = false,
  coupons = [],
}: { card?: string | null; annual?: boolean; coupons?: string[] } = {}) {
  const { id: rate } = await create('/v1/tax-rates', { name: 'VAT', percentage: 20 });
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
  const created = await create('/v1/subscriptions', { customerId, planId, coupons });
  await advanceClock(workspace, HALF);
  await use(workspace, customerId, 'request', '2026-04-09T00:00:00Z');
  const path = `/v1/subscriptions/${created.id}`;
  const cancel = (body: object) => post(`${path}/cancel`, body);
  return { customerId, path, cancel };
}

function refundsOf(invoices: InvoiceView[]) {
  return invoices.map(({ refunds }) => refunds.map(({ amount, status }) => [amount, status]));
}
