import { beforeEach, describe, expect, it } from '@jest/globals';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import { beforeCommand, holdCommands } from '../support/before-command.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  Gate,
  perUnit,
  use,
  workspacePerTest,
  type TestPrice,
} from '../support/index.js';
import { customerWithCard, jumpClock } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/* One invoice for several subscriptions of a customer: `invoiceGrouping: customer`. */

const [JANUARY, FEBRUARY, MARCH] = ['2026-01-01', '2026-02-01', '2026-03-01'].map(
  (day) => `${day}T00:00:00.000Z`,
) as [string, string, string];
const upFront = { cadence: 'monthly', timing: 'in_advance' } as const;

const { system, workspace, http, get, post, patch, create, invoicesOf, newestInvoice } = workspacePerTest();
beforeEach(async () => {
  await http.put('/v1/billing-settings', { invoiceGrouping: 'customer' }).expect(200);
});

it('bills all plans of a customer on one invoice, with coupons, taxes, commitments and late usage as each has them', async () => {
  const { body: vat } = await http.post('/v1/tax-rates', { name: 'VAT', percentage: 19 }).expect(201);
  await http.put('/v1/billing-settings', { defaultTaxRateIds: [vat.id] }).expect(200);
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const pro = await planOf(
    { name: 'Pro & more', minimumCommitment: 100 },
    perUnit('Calls', metricId, 0.1),
    fee('Access', 20, upFront),
  );
  const storage = await planOf({ name: 'Storage' }, fee('Backup', 10));
  const customerId = await customerWithCard(workspace);
  const first = await subscribeTo(customerId, pro);
  const second = await subscribeTo(customerId, storage);
  const fiveOff = { id: 'FIVE', name: 'Five off', amountOff: 5, currency: 'USD', duration: 'forever' };
  await http.post('/v1/coupons', fiveOff).expect(201);
  await http
    .post('/v1/coupons', { id: 'TEN', name: 'Ten percent', percentOff: 10, duration: 'once' })
    .expect(201);
  await http.post(`/v1/subscriptions/${second}/coupons`, { couponId: 'FIVE' }).expect(201);
  // What begins is billed at once, by itself: 20 and 3.80 of tax.
  await advanceClock(workspace, '2026-01-02T00:00:00.000Z');
  expect(summaryOf(await newestFirst(customerId))).toEqual([['cycle', [first], 23.8]]);
  await http.post(`/v1/customers/${customerId}/coupons`, { couponId: 'TEN' }).expect(201);
  await advanceClock(workspace, '2026-01-31T00:00:00.000Z');
  await use({ http }, customerId, 'call', '2026-01-15T00:00:00Z', { n: 300 });
  const preview = async (id: string) => await post(`/v1/subscriptions/${id}/invoices/compute`);
  const [shown, shownToOther] = [await preview(first), await preview(second)];

  await advanceClock(workspace, FEBRUARY);
  const [january, ...before] = (await newestFirst(customerId)) as [InvoiceView, ...InvoiceView[]];
  expect(before).toHaveLength(1);
  // 300 × 0.10, the fee for February, and what is missing to 100 after 30 and the 20 that January's fee was.
  expect(linesOf(january)).toEqual([
    [first, 'usage', 30],
    [first, 'flat', 20],
    [first, 'minimum', 50],
    [second, 'flat', 10],
  ]);
  // 5 off the second, then 10 % of 105 off all; 19 % of 94.50 is 17.955.
  expect(january.lines.map(({ discount }) => discount)).toEqual([3, 2, 5, 5.5]);
  expect(january).toMatchObject({
    kind: 'cycle',
    subscriptionId: null,
    subscriptionIds: [first, second],
    status: 'paid',
    subtotal: 110,
    taxes: [{ taxable: 94.5, amount: 17.96 }],
    total: 112.46,
    number: 'INV-000002',
  });
  for (const one of [shown, shownToOther])
    expect(one).toMatchObject({
      lines: january.lines.map(({ usageWatermark: _, ...line }) => line),
      total: 112.46,
      amountDue: 112.46,
      taxes: january.taxes,
      discounts: january.discounts,
    });
  const { body: attempts } = await http.get(`/v1/invoices/${january.id}/payment-attempts`).expect(200);
  expect(attempts.data).toMatchObject([{ amount: 112.46, status: 'succeeded' }]);
  const { body: link } = await http.get(`/v1/invoices/${january.id}/link`).expect(200);
  const page = await (await fetch(link.url.replace('http://127.0.0.1:3000', system.url))).text();
  expect(page).toMatch(/Pro &amp; more[^]*\$100\.00[^]*Calls[^]*Access[^]*Storage[^]*\$10\.00[^]*Backup/);

  // Late for January: 100 × 0.10, towards the minimum; of its 50 the coupon had left 45, so 9 of 10 are given back.
  await use({ http }, customerId, 'call', '2026-01-20T00:00:00Z', { n: 100 });
  await advanceClock(workspace, MARCH);
  const february = await newestInvoice(customerId);
  expect(linesOf(february)).toEqual([
    [first, 'usage', 0],
    [first, 'flat', 20],
    [first, 'minimum', 80],
    [first, 'late_usage', 10],
    [first, 'minimum', -9],
    [second, 'flat', 10],
  ]);
  // 111, less 5; 19 % of 106 is 20.14.
  expect(february).toMatchObject({ total: 126.14, discounts: [{ couponId: 'FIVE', amount: 5 }] });

  // Half of March: half of the fee is given back, and 50 are due, of which the other half counts. It is an invoice of its own.
  await advanceClock(workspace, '2026-03-16T12:00:00.000Z');
  await http.post(`/v1/subscriptions/${first}/cancel`, { immediately: true }).expect(200);
  await advanceClock(workspace, '2026-03-17T00:00:00.000Z');
  const final = await newestInvoice(customerId);
  expect(final).toMatchObject({ kind: 'final', subscriptionId: first });
  expect(linesOf(final)).toEqual([
    [first, 'usage', 0],
    [first, 'credit', -10],
    [first, 'minimum', 40],
  ]);
  // So half of the fee can be credited yet, and all that the other subscription was billed: 10 less the coupon, and 0.95 of tax.
  const credit = (line: InvoiceView['lines'][number], amount: number) =>
    http.post(`/v1/invoices/${february.id}/credit-note`, {
      reason: 'service_issue',
      lines: [{ lineId: line.id, amount }],
    });
  expect((await credit(february.lines[1]!, 10.01).expect(400)).body.code).toBe('credit_exceeds_line');
  expect((await credit(february.lines[2]!, 1).expect(201)).body).toMatchObject({ total: 1.19 });
  const { body: note } = await credit(february.lines[5]!, 10).expect(201);
  expect(note.total).toBe(5.95);

  // The one that is left is billed on.
  await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
  expect(summaryOf(await newestFirst(customerId)).slice(0, 1)).toEqual([['cycle', [second], 5.95]]);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('is owed by all of its subscriptions until it is paid', async () => {
  const { customerId, first, second } = await customerWithTwo('pm_card_chargeDeclined');
  await advanceClock(workspace, FEBRUARY);
  const january = await newestInvoice(customerId);
  expect(january).toMatchObject({ status: 'open', total: 30 });
  expect([await statusOf(first), await statusOf(second)]).toEqual(['past_due', 'past_due']);
  const { body: card } = await http
    .post(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' })
    .expect(201);
  await http.post(`/v1/customers/${customerId}/payment-methods/${card.id}/default`).expect(200);
  // The new default card is charged automatically.
  await advanceClock(workspace, '2026-02-01T12:00:00.000Z');
  expect([await statusOf(first), await statusOf(second)]).toEqual(['active', 'active']);
});

it('gives back to each what it paid ahead, and nothing once the invoice is void', async () => {
  await http.put('/v1/billing-settings', { autoCollect: false }).expect(200);
  const ahead = async (name: string, amount: number) => planOf({ name }, fee(name, amount, upFront));
  const customerId = await customerWithCard(workspace);
  const first = await subscribeTo(customerId, await ahead('Access', 28));
  const second = await subscribeTo(customerId, await ahead('Mail', 56));
  const third = await subscribeTo(customerId, await ahead('Storage', 84));
  await advanceClock(workspace, FEBRUARY);
  const february = await newestInvoice(customerId);
  expect(february).toMatchObject({ total: 168, status: 'open', subscriptionIds: [first, second, third] });
  const endNow = async (id: string, until: string) => {
    await http.post(`/v1/subscriptions/${id}/cancel`, { immediately: true }).expect(200);
    await advanceClock(workspace, until);
    return await newestInvoice(customerId);
  };
  await advanceClock(workspace, '2026-02-15T00:00:00.000Z');
  expect(linesOf(await endNow(second, '2026-02-16T00:00:00.000Z'))).toEqual([[second, 'credit', -28]]);
  // Which keeps the whole from being void: it would give that back once more.
  const { body: refused } = await http.post(`/v1/invoices/${february.id}/void`, {}).expect(409);
  expect(refused.code).toBe('invoice_given_back');

  await advanceClock(workspace, MARCH);
  const march = await newestInvoice(customerId);
  expect(march).toMatchObject({ subscriptionIds: [first, third], subtotal: 112 });
  await http.post(`/v1/invoices/${march.id}/void`, {}).expect(200);
  await advanceClock(workspace, '2026-03-15T00:00:00.000Z');
  for (const id of [first, third]) expect((await endNow(id, '2026-03-16T00:00:00.000Z')).id).toBe(march.id);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('follows the usage of all of its subscriptions while it is a draft', async () => {
  await http.put('/v1/billing-settings', { gracePeriodHours: 48 }).expect(200);
  const customerId = await customerWithCard(workspace);
  const metered = async (name: string, unitPrice: number) =>
    planOf({ name }, perUnit(name, await createMetric(workspace, name), unitPrice));
  const first = await subscribeTo(customerId, await metered('Calls', 1));
  const second = await subscribeTo(customerId, await metered('Mails', 3));
  await advanceClock(workspace, '2026-01-31T00:00:00.000Z');
  await use({ http }, customerId, 'Calls', '2026-01-20T00:00:00Z');
  await advanceClock(workspace, FEBRUARY);
  const late = async (name: string) => use({ http }, customerId, name, '2026-01-21T00:00:00Z');
  const draft = await newestInvoice(customerId);
  expect(draft).toMatchObject({ status: 'draft', total: 1 });
  await late('Calls');
  await late('Mails');
  await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
  const january = await newestInvoice(customerId);
  expect(january).toMatchObject({ id: draft.id, status: 'paid', total: 5 });
  expect(linesOf(january)).toEqual([
    [first, 'usage', 2],
    [second, 'usage', 3],
  ]);
  // What comes later still is on the next one, for each that it came for.
  await late('Mails');
  await advanceClock(workspace, '2026-03-03T00:00:00.000Z');
  expect(linesOf(await newestInvoice(customerId))).toEqual([
    [first, 'usage', 0],
    [second, 'usage', 0],
    [second, 'late_usage', 3],
  ]);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('leaves nobody out who comes too late, and bills nobody twice when the settings change', async () => {
  const { customerId, first, second } = await customerWithTwo();
  await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
  const late = await subscribeTo(customerId, await planOf({ name: 'Late' }, fee('Late', 5)), {
    startsAt: JANUARY,
  });
  await advanceClock(workspace, '2026-02-03T00:00:00.000Z');
  expect(summaryOf(await newestFirst(customerId))).toEqual([
    ['cycle', [late], 5],
    ['cycle', [first, second], 30],
  ]);
  // In another currency, or at another instant, it is not the same invoice.
  const euros = await planOf(
    { name: 'Euros' },
    { name: 'Euros', config: { model: 'flat', amount: 7, currency: 'EUR' } },
  );
  const inEuros = await subscribeTo(customerId, euros, { anchorDay: 1 });
  await advanceClock(workspace, MARCH);
  const march = await newestFirst(customerId);
  expect(summaryOf(march.filter(({ currency }) => currency === 'USD')).slice(0, 1)).toEqual([
    ['cycle', [first, second, late], 35],
  ]);
  expect(
    march.filter(({ currency }) => currency === 'EUR').map(({ subscriptionId }) => subscriptionId),
  ).toEqual([inEuros]);
  // Two that end together are on one last invoice.
  for (const id of [first, late]) await http.post(`/v1/subscriptions/${id}/cancel`).expect(200);
  await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
  const april = summaryOf((await newestFirst(customerId)).filter(({ currency }) => currency === 'USD'));
  expect(april.slice(0, 2)).toEqual(
    expect.arrayContaining([
      ['final', [first, late], 15],
      ['cycle', [second], 20],
    ]),
  );
  await http.put('/v1/billing-settings', { invoiceGrouping: 'subscription' }).expect(200);
  await advanceClock(workspace, '2026-05-01T00:00:00.000Z');
  expect(await newestFirst(customerId)).toHaveLength(march.length + 3 + 2);
  expect((await verificationOf(system)).found).toEqual([]);
});

it('does not wait for a subscription that cannot be billed, and is not on it', async () => {
  const customerId = await customerWithCard(workspace);
  const { metricId, planId: shares, count } = await unmeasurable();
  const failing = await subscribeTo(customerId, shares, { anchorDay: 10 });
  const other = await subscribeTo(customerId, await planOf({ name: 'Backup' }, fee('Backup', 10)));
  await use({ http }, customerId, 'share', JANUARY, { n: 0 });
  const release = holdCommands(system.saga, 'ConsolidateInvoice', 'AdvanceSubscription', 'CreateInvoice');
  await jumpClock(system, workspace, MARCH);
  const { body: run } = await http.post('/v1/billing/run', { subscriptionId: other }).expect(200);
  expect(run).toMatchObject({ failed: 0, invoiceCount: 2 });

  await patch(`/v1/metrics/${metricId}`, count);
  release();
  await advanceClock(workspace, MARCH);
  const invoices = await newestFirst(customerId);
  const totalsOf = (id: string) =>
    invoices.filter(({ subscriptionId }) => subscriptionId === id).map(({ total }) => total);
  expect([totalsOf(other), totalsOf(failing)]).toEqual([
    [10, 10],
    [0, 1],
  ]);
});

it('does not wait for a subscription whose earlier invoice cannot be made', async () => {
  const customerId = await customerWithCard(workspace);
  const { metricId, planId, count } = await unmeasurable();
  const failing = await subscribeTo(customerId, planId);
  const backup = await planOf({ name: 'Backup' }, fee('Backup', 10));
  const other = await subscribeTo(customerId, backup);
  await use({ http }, customerId, 'share', JANUARY, { n: 0 });
  await advanceClock(workspace, '2026-01-16T00:00:00.000Z');
  const hold = ['ConsolidateInvoice', 'AdvanceSubscription', 'CreateInvoice'];
  const release = holdCommands(system.saga, ...hold);
  // The invoice of the amendment waits until the metric is corrected.
  expect(await post(`/v1/subscriptions/${failing}/amend`, { planId: backup })).toMatchObject({
    invoice: null,
  });
  await jumpClock(system, workspace, FEBRUARY);
  const run = await post('/v1/billing/run', { subscriptionId: other });
  expect(run).toMatchObject({ failed: 0, invoiceCount: 1 });

  await patch(`/v1/metrics/${metricId}`, count);
  release();
  await advanceClock(workspace, FEBRUARY);
  expect(summaryOf(await invoicesOf(customerId))).toEqual([
    ['cycle', [other], 10],
    ['amendment', [failing], 1],
    ['cycle', [failing], expect.any(Number)],
  ]);
});

describe('at the same moment', () => {
  it('two runs and the timers make one invoice', async () => {
    const { customerId, first, second } = await customerWithTwo();
    const release = holdCommands(system.saga, 'ConsolidateInvoice');
    await jumpClock(system, workspace, FEBRUARY);
    // Each run looks at both subscriptions, and none has decided who is on the invoice.
    const gate = new Gate(4);
    beforeCommand(system.api, 'ConsolidateInvoice', () => gate.pass());
    const run = async () => await post('/v1/billing/run', { customerId });
    const runs = await Promise.all([run(), run()]);
    release();
    await advanceClock(workspace, FEBRUARY);
    expect(summaryOf(await newestFirst(customerId))).toEqual([['cycle', [first, second], 30]]);
    expect(runs.map(({ failed }) => failed)).toEqual([0, 0]);
    expect(runs.reduce((sum, { subscriptions }) => sum + subscriptions, 0)).toBe(2);
    const { body: history } = await http.get('/v1/billing/history').expect(200);
    const made = history.data.flatMap(({ invoices }: { invoices: object[] }) => invoices);
    expect(made).toMatchObject([{ subscriptionId: null, total: 30 }]);
  });

  it('a run and the cancellation of one of them come out in either order, and bill the period once', async () => {
    const { customerId, first, second } = await customerWithTwo();
    const release = holdCommands(system.saga, 'ConsolidateInvoice', 'AdvanceSubscription');
    await jumpClock(system, workspace, FEBRUARY);
    const gate = new Gate(2);
    beforeCommand(system.api, 'AdvanceSubscription', () => gate.pass());
    const [, canceled] = await Promise.all([
      http.post('/v1/billing/run', { subscriptionId: first }).expect(200),
      http.post(`/v1/subscriptions/${second}/cancel`, { immediately: true }).expect(200),
    ]);
    release();
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    expect(canceled.body).toMatchObject({ status: 'canceled', canceledAt: FEBRUARY });
    expect(summaryOf(await newestFirst(customerId))).toEqual([['cycle', [first, second], 30]]);
  });

  it.each(['customer', 'subscription'])(
    'a run that dies between two of them leaves the rest to the timers (by %s from then on)',
    async (invoiceGrouping) => {
      const { customerId, first, second } = await customerWithTwo();
      const release = holdCommands(system.saga, 'ConsolidateInvoice', 'AdvanceSubscription', 'CreateInvoice');
      await jumpClock(system, workspace, FEBRUARY);
      let passes = 0;
      beforeCommand(system.api, 'AdvanceSubscription', async () => {
        if (++passes > 1) throw new Error('the process died here');
      });
      const { body: run } = await http.post('/v1/billing/run', { subscriptionId: first }).expect(200);
      expect(run).toMatchObject({ failed: 1, invoiceCount: 0 });
      expect(await newestFirst(customerId)).toEqual([]);
      await http.put('/v1/billing-settings', { invoiceGrouping }).expect(200);
      release();
      await advanceClock(workspace, FEBRUARY);
      const invoices = await newestFirst(customerId);
      if (invoiceGrouping === 'customer')
        expect(summaryOf(invoices)).toEqual([['cycle', [first, second], 30]]);
      // Else it depends on who comes first, and each is billed once.
      const billed = invoices.flatMap(({ subscriptionIds }) => subscriptionIds);
      expect(billed.toSorted()).toEqual([first, second].toSorted());
      expect(invoices.reduce((sum, { total }) => sum + total, 0)).toBe(30);
      expect((await verificationOf(system)).found).toEqual([]);
    },
  );
});

/** Creates and publishes a plan of these prices. */
async function planOf(
  change: { name: string; minimumCommitment?: number },
  ...prices: TestPrice[]
): Promise<string> {
  const planId = await createPlan(workspace, ...prices);
  await http.patch(`/v1/plans/${planId}`, change).expect(200);
  await post(`/v1/plans/${planId}/publish`);
  return planId;
}

async function subscribeTo(customerId: string, planId: string, more: object = {}): Promise<string> {
  return (await create('/v1/subscriptions', { customerId, planId, ...more })).id;
}

/** A plan that charges for a metric whose SQL fails on an event with `n: 0`. `count` corrects the metric. */
async function unmeasurable() {
  const bySql = (sql: string) => ({ aggregation: { type: 'sql' }, sql });
  const metric = { name: 'Shares', eventName: 'share', ...bySql(`sum(1 / number(properties->'n'))`) };
  const { id: metricId } = await create('/v1/metrics', metric);
  const planId = await planOf({ name: 'Shares' }, perUnit('Shares', metricId, 1));
  return { metricId, planId, count: bySql('count(*)') };
}

/** A customer with two subscriptions of 10 and 20 a month in arrears. */
async function customerWithTwo(card: string | null = 'pm_card_visa') {
  const customerId = await customerWithCard(workspace, card);
  const first = await subscribeTo(customerId, await planOf({ name: 'Backup' }, fee('Backup', 10)));
  const second = await subscribeTo(customerId, await planOf({ name: 'Mail' }, fee('Mail', 20)));
  return { customerId, first, second };
}

async function newestFirst(customerId: string): Promise<InvoiceView[]> {
  return (await invoicesOf(customerId)).toReversed();
}

/** The subscription, type and amount of each line. */
function linesOf({ lines }: Pick<InvoiceView, 'lines'>) {
  return lines.map(({ subscriptionId, type, amount }) => [subscriptionId, type, amount]);
}

/** The kind, subscriptions and total of each invoice. */
function summaryOf(invoices: InvoiceView[]) {
  return invoices.map(({ kind, subscriptionIds, total }) => [kind, subscriptionIds, total]);
}

async function statusOf(subscriptionId: string): Promise<string> {
  return (await get(`/v1/subscriptions/${subscriptionId}`)).status;
}
