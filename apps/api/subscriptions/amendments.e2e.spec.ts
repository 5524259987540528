import { describe, expect, it } from '@jest/globals';
import { customerWithCard, jumpClock } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  perUnit,
  subscribe,
  use,
  workspacePerTest,
} from '../../../test/support/index.js';
import type { InvoiceView } from '../invoices/invoice.dto.js';
import type { InvoiceLineView } from '../invoices/invoice-line.dto.js';

const START = '2026-04-01T00:00:00.000Z';
/** The middle of April, and its end. */
const HALF = '2026-04-16T00:00:00.000Z';
const END = '2026-05-01T00:00:00.000Z';

const { system, workspace, get, post, patch, create, invoicesOf } = workspacePerTest({ now: START });
const seats = {
  name: 'Seats',
  config: { model: 'unit', unitPrice: 10, currency: 'USD' },
  timing: 'in_advance',
} as const;

describe('POST /v1/subscriptions/:id/amend', () => {
  it('changes the plan: what is unused is given back, and the rest of the period charged', async () => {
    const metricId = await createMetric(workspace, 'request');
    const small = await createPlan(workspace, monthly('Small', 30), perUnit('Requests', metricId, 0.1));
    const large = await createPlan(workspace, monthly('Large', 90), perUnit('Requests', metricId, 0.05));
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    const path = `/v1/subscriptions/${subscriptionId}`;
    await use(workspace, customerId, 'request', START);
    await advanceClock(workspace, HALF);
    const invoice = await amendAsPreviewed(customerId, path, { planId: large });
    expect(invoice).toMatchObject({ kind: 'amendment', total: 30.1, status: 'open' });
    expect(printed(invoice.lines)).toEqual([
      'credit | Small (unused part of the period) | -15 | 2026-04-16 | 2026-05-01',
      'flat | Large (part of the period) | 45 | 2026-04-16 | 2026-05-01',
      'usage | Requests | 0.1 | 2026-04-01 | 2026-04-16',
    ]);
    await use(workspace, customerId, 'request', HALF);
    await advanceClock(workspace, END);
    const [, , cycle] = await invoicesOf(customerId);
    expect(printed(cycle!.lines)).toEqual([
      'flat | Large | 90 | 2026-05-01 | 2026-06-01',
      'usage | Requests | 0.05 | 2026-04-16 | 2026-05-01',
    ]);
    expect(await get(path)).toMatchObject({ planId: large, planName: 'Growth', currentPeriodStart: END });
  });

  it('is stored although the SQL of a metric fails, and is invoiced when the SQL is corrected', async () => {
    const { customerId, path, metricId, count } = await unmeasurable();
    const large = await createPlan(workspace, monthly('Large', 90));
    const invoicing = async () => await post(`${path}/invoices`, {}, 409);
    const { amendment, ...changed } = await post(`${path}/amend`, { planId: large });
    expect(amendment).toMatchObject({ status: 'applied', invoiceId: expect.stringMatching(/^inv_/) });
    expect(changed).toMatchObject({ subscription: { planId: large }, invoice: null });

    // Usage is not billed either, as long as an earlier invoice waits.
    const calls = await createPlan(workspace, perUnit('Calls', await createMetric(workspace, 'call'), 0.1));
    expect(await post(`${path}/amend`, { planId: calls })).toMatchObject({ invoice: null });
    await use(workspace, customerId, 'call', HALF);
    await jumpClock(system, workspace, '2026-04-16T01:00:00.000Z');
    expect(await invoicing()).toMatchObject({ code: 'metric_sql_failed' });
    await patch(`/v1/metrics/${metricId}`, count);
    await advanceClock(workspace, '2026-04-17T00:00:00.000Z');
    const [, first, ...others] = await invoicesOf(customerId);
    expect(first).toMatchObject({ id: amendment.invoiceId, kind: 'amendment', total: 31 });
    expect(others.map(({ kind }) => kind)).toEqual(['amendment']);
    expect(await post(`${path}/invoices`, {}, 201)).toMatchObject({ kind: 'interim', total: 0.1 });
  });

  it('discounts by the coupons that count for the plan afterwards, also beforehand', async () => {
    const small = await createPlan(workspace, monthly('Small', 30));
    const large = await createPlan(workspace, monthly('Large', 90));
    const ofLarge = { id: 'LARGE', name: 'Large', percentOff: 10, planIds: [large] };
    await create('/v1/coupons', ofLarge);
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    await create(`/v1/customers/${customerId}/coupons`, { couponId: 'LARGE' });
    await advanceClock(workspace, HALF);
    const path = `/v1/subscriptions/${subscriptionId}`;
    // 45 less a tenth, and 15 that is given back.
    expect(await amendAsPreviewed(customerId, path, { planId: large })).toMatchObject({ total: 25.5 });
  });

  it('counts the period that a change to another interval begins, also beforehand', async () => {
    const month = await createPlan(workspace, monthly('Month', 30));
    const quarter = await createPlan(workspace, { ...monthly('Quarter', 91), cadence: 'quarterly' });
    await create('/v1/coupons', {
      id: 'FIRST',
      name: 'First period',
      percentOff: 20,
      duration: 'repeating',
      durationInInvoices: 1,
    });
    const { customerId, subscriptionId } = await subscribe(workspace, month, {
      subscription: { coupons: ['FIRST'] },
    });
    await advanceClock(workspace, HALF);
    const path = `/v1/subscriptions/${subscriptionId}`;
    // The coupon is spent. Of the month's discount the unused half, 3, goes over: 91 less 3, and 12 that is given back.
    expect(await amendAsPreviewed(customerId, path, { planId: quarter })).toMatchObject({ total: 76 });
  });

  it('lets the unused part of a spent coupon go over to what takes the place of a fee', async () => {
    const yearly = { ...seats, cadence: 'annual' } as const;
    const config = { model: 'unit', unitPrice: 365, currency: 'USD' };
    const planId = await createPlan(workspace, { ...yearly, config });
    await create('/v1/coupons', { id: 'FREE', name: 'First year', percentOff: 100, duration: 'once' });
    const { customerId } = await subscribe(workspace, planId, { subscription: { coupons: ['FREE'] } });
    const { data } = await get(`/v1/subscriptions?customer_id=${customerId}`);
    const path = `/v1/subscriptions/${data[0].id}`;
    const { Seats: priceId } = await pricesOf(data[0].id);
    await advanceClock(workspace, HALF);
    const change = { quantities: [{ priceId, quantity: 2 }] };
    // 350 of 365 days are left: a second seat for 350.00, while the first one stays free.
    const invoice = await amendAsPreviewed(customerId, path, change);
    expect(printed(invoice.lines)).toEqual([
      'flat | Seats (part of the period) | 700 | 2026-04-16 | 2027-04-01',
    ]);
    const [first] = await invoicesOf(customerId);
    const carried = { name: 'First year', amount: 350, carriedFrom: first!.id };
    expect(invoice).toMatchObject({ total: 350, discounts: [carried] });
    expect((await get(`/v1/customers/${customerId}/coupons`)).data).toMatchObject([
      { usedOn: [expect.any(String)] },
    ]);
  });

  it('takes a fixed amount off once in a period, however often the plan changes', async () => {
    const plans = await Promise.all(
      [30, 60, 90].map((amount) => createPlan(workspace, monthly('Base', amount))),
    );
    await create('/v1/coupons', {
      id: 'TEN',
      name: 'Ten',
      amountOff: 10,
      currency: 'USD',
      duration: 'forever',
    });
    const { customerId, subscriptionId } = await subscribe(workspace, plans[0]!, {
      subscription: { coupons: ['TEN'] },
    });
    const path = `/v1/subscriptions/${subscriptionId}`;
    await advanceClock(workspace, HALF);
    // Half of 60 less half of the ten, and half of the twenty that were paid is given back.
    expect(await amendAsPreviewed(customerId, path, { planId: plans[1]! })).toMatchObject({ total: 15 });
    expect(await amendAsPreviewed(customerId, path, { planId: plans[2]! })).toMatchObject({ total: 15 });
    await advanceClock(workspace, END);
    expect((await invoicesOf(customerId)).at(-1)).toMatchObject({ total: 80 });
  });

  it("puts what is left over on the customer's balance, which pays the next invoices", async () => {
    const small = await createPlan(workspace, monthly('Small', 30));
    const large = await createPlan(workspace, monthly('Large', 90));
    const customerId = await customerWithCard(workspace);
    const { id: subscriptionId } = await create('/v1/subscriptions', { customerId, planId: large });
    const path = `/v1/subscriptions/${subscriptionId}`;
    await advanceClock(workspace, HALF);
    const invoice = await amendAsPreviewed(customerId, path, { planId: small });
    expect(invoice).toMatchObject({ total: 0, balanceCredited: 30, status: 'paid' });
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
      hasMore: false,
      data: [{ currency: 'USD', balance: 30 }],
    });
    const upcoming = await post(`${path}/invoices/compute`);
    expect(upcoming).toMatchObject({ total: 30, balanceApplied: 30, amountDue: 0 });
    await advanceClock(workspace, END);
    const [, , cycle] = await invoicesOf(customerId);
    expect(cycle).toMatchObject({ total: 30, balanceApplied: 30, amountDue: 0, status: 'paid' });
    expect((await get(`/v1/customers/${customerId}/balances`)).data).toEqual([
      { currency: 'USD', balance: 0 },
    ]);
  });

  it('changes quantities, adds prices and takes them away, and costs nothing when it is reversed', async () => {
    const extra = await create('/v1/prices', monthly('Support', 60));
    const { customerId, subscriptionId } = await subscribe(workspace, await createPlan(workspace, seats));
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { Seats: priceId } = await pricesOf(subscriptionId);
    await advanceClock(workspace, HALF);
    const change = { quantities: [{ priceId, quantity: 5 }], addPrices: [extra.id] };
    const more = await post(`${path}/amend`, change);
    expect(printed(more.invoice.lines)).toEqual([
      'credit | Seats (unused part of the period) | -5 | 2026-04-16 | 2026-05-01',
      'flat | Seats (part of the period) | 25 | 2026-04-16 | 2026-05-01',
      'flat | Support (part of the period) | 30 | 2026-04-16 | 2026-05-01',
    ]);
    expect(more.subscription.prices).toMatchObject([{ quantity: 5 }, { name: 'Support', quantity: 1 }]);
    const reverse = { quantities: [{ priceId, quantity: 1 }], removePrices: [extra.id] };
    const less = await post(`${path}/amend`, reverse);
    expect(less.invoice).toMatchObject({ total: 0, balanceCredited: 50 });
    expect(more.invoice.total).toBe(50);
    const { data } = await get(`${path}/amendments`);
    expect(data).toMatchObject([
      { id: less.amendment.id, removePrices: [extra.id], status: 'applied' },
      {
        id: more.amendment.id,
        addPrices: [{ priceId: extra.id, version: 1 }],
        invoiceId: expect.any(String),
      },
    ]);
    expect(await get(`${path}/amendments?limit=1&offset=1`)).toEqual({ data: [data[1]], hasMore: false });
    expect((await invoicesOf(customerId)).map(({ total }) => total)).toEqual([10, 50, 0]);
  });

  it('does it once for an idempotency key, and names what it cannot do', async () => {
    const { subscriptionId } = await subscribe(workspace, await createPlan(workspace, seats));
    const path = `/v1/subscriptions/${subscriptionId}/amend`;
    const { Seats: priceId } = await pricesOf(subscriptionId);
    const body = { quantities: [{ priceId, quantity: 2 }] };
    const keyed = () => workspace.http.post(path, body).set('Idempotency-Key', 'more').expect(200);
    const { body: first } = await keyed();
    expect((await keyed()).body).toEqual(first);
    const refused = async (wrong: object, status: number, code: string) =>
      expect(await post(path, wrong, status)).toMatchObject({ code });
    await refused({}, 400, 'nothing_to_amend');
    await refused(body, 400, 'nothing_to_amend');
    await refused({ preview: true }, 400, 'nothing_to_amend');
    await refused({ planId: 'plan_x' }, 404, 'plan_not_found');
    await refused({ addPrices: ['price_x'] }, 404, 'price_not_found');
    await refused({ removePrices: ['price_x'] }, 400, 'validation_failed');
    await refused({ quantities: [{ priceId, quantity: -1 }] }, 400, 'validation_failed');
    await refused({ prorate: 'no' }, 400, 'validation_failed');
  });

  it('gives nothing back of an invoice that was voided', async () => {
    const { customerId, subscriptionId } = await subscribe(
      workspace,
      await createPlan(workspace, monthly('Small', 30)),
    );
    await advanceClock(workspace, '2026-04-01T00:01:00.000Z');
    const [invoice] = await invoicesOf(customerId);
    await post(`/v1/invoices/${invoice!.id}/void`);
    await advanceClock(workspace, HALF);
    await post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    await advanceClock(workspace, END);
    expect(await invoicesOf(customerId)).toHaveLength(1);
  });
});

describe('an invoice of which something was given back', () => {
  it('cannot be voided, and is credited up to what is left of it', async () => {
    const small = await createPlan(workspace, monthly('Small', 30));
    const large = await createPlan(workspace, monthly('Large', 90));
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    await advanceClock(workspace, HALF);
    await post(`/v1/subscriptions/${subscriptionId}/amend`, { planId: large });
    const [first] = await invoicesOf(customerId);
    const path = `/v1/invoices/${first!.id}`;
    expect(await post(`${path}/void`, {}, 409)).toMatchObject({
      code: 'invoice_given_back',
      error: expect.stringMatching(/credit the remaining amount with a credit note/),
    });
    const over = (amount: number) => ({ reason: 'other', lines: [{ lineId: first!.lines[0]!.id, amount }] });
    expect(await post(`${path}/credit-note`, over(15.01), 400)).toMatchObject({
      code: 'credit_exceeds_line',
    });
    expect(await create(`${path}/credit-note`, { reason: 'other' })).toMatchObject({ total: 15 });
    expect(await post(`${path}/credit-note`, over(0.01), 400)).toMatchObject({ code: 'credit_exceeds_line' });
  });
});

describe('canceling and pausing', () => {
  it('give back the unused part of what was paid in advance', async () => {
    const planId = await createPlan(workspace, monthly('Base', 30));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    await post(`${path}/pause`, { effectiveAt: HALF, resumesAt: '2026-04-21T00:00:00.000Z' });
    await advanceClock(workspace, '2026-04-26T00:00:00.000Z');
    await post(`${path}/cancel`, { immediately: true });
    await advanceClock(workspace, END);
    const lines = (await invoicesOf(customerId)).map((invoice) => printed(invoice.lines).join());
    expect(lines).toEqual([
      'flat | Base | 30 | 2026-04-01 | 2026-05-01',
      'credit | Base (unused part of the period) | -15 | 2026-04-16 | 2026-05-01',
      'flat | Base | 30 | 2026-04-21 | 2026-05-21',
      'credit | Base (unused part of the period) | -25 | 2026-04-26 | 2026-05-21',
    ]);
    // Nothing was paid: what is given back lowers what is owed on the invoices that charged it.
    expect((await get(`/v1/customers/${customerId}/balances`)).data).toEqual([]);
    const owed = (await invoicesOf(customerId)).filter(({ amountDue }) => amountDue > 0);
    expect(owed.map(({ total, amountReduced, amountDue }) => [total, amountReduced, amountDue])).toEqual([
      [30, 15, 15],
      [30, 25, 5],
    ]);
  });
});

describe('POST /v1/subscriptions/:id/schedule-amendment', () => {
  it('changes the plan at the end of the period, as previewed, with one invoice', async () => {
    const small = await createPlan(workspace, monthly('Small', 30), fee('Backup', 10));
    const large = await createPlan(workspace, monthly('Large', 90));
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { invoice: preview } = await post(`${path}/schedule-amendment`, { planId: large, preview: true });
    expect((await get(`${path}/amendments`)).data).toEqual([]);
    const { amendment, invoice } = await post(`${path}/schedule-amendment`, { planId: large });
    expect(amendment).toMatchObject({ status: 'scheduled', effectiveAt: END, atPeriodEnd: true });
    expect(invoice).toBeNull();
    await advanceClock(workspace, END);
    const [, cycle, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    expect(printed(cycle!.lines)).toEqual([
      'flat | Large | 90 | 2026-05-01 | 2026-06-01',
      'flat | Backup | 10 | 2026-04-01 | 2026-05-01',
    ]);
    expect(cycle).toMatchObject({ lines: preview.lines, total: preview.total });
    expect((await get(`${path}/amendments`)).data).toMatchObject([
      { status: 'applied', invoiceId: cycle!.id },
    ]);
  });

  it('changes it at a date, after renewals, unless it is taken back', async () => {
    const small = await createPlan(workspace, monthly('Small', 31));
    const large = await createPlan(workspace, monthly('Large', 62));
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const at = (day: string) => ({ planId: large, effectiveAt: `2026-05-${day}T00:00:00.000Z` });
    const { invoice: preview } = await post(`${path}/schedule-amendment`, { ...at('17'), preview: true });
    const { amendment } = await post(`${path}/schedule-amendment`, at('10'));
    expect(await post(`${path}/amendments/${amendment.id}/cancel`)).toMatchObject({ status: 'canceled' });
    expect(await post(`${path}/amendments/${amendment.id}/cancel`, {}, 409)).toMatchObject({
      code: 'amendment_not_scheduled',
    });
    await post(`${path}/amendments/amd_x/cancel`, {}, 404);
    await post(`${path}/schedule-amendment`, at('17'));
    await advanceClock(workspace, '2026-05-20T00:00:00.000Z');
    const [, , changed] = await invoicesOf(customerId);
    expect(printed(changed!.lines)).toEqual([
      'credit | Small (unused part of the period) | -15 | 2026-05-17 | 2026-06-01',
      'flat | Large (part of the period) | 30 | 2026-05-17 | 2026-06-01',
    ]);
    expect(changed!.lines).toEqual(preview.lines);
    expect((await get(`${path}/amendments`)).data.map(({ status }: { status: string }) => status)).toEqual([
      'applied',
      'canceled',
    ]);
  });
});

describe('an invoice of a change that was voided', () => {
  it('restores what it gave back: going back to the old plan costs nothing', async () => {
    const small = await createPlan(workspace, monthly('Small', 30));
    const large = await createPlan(workspace, monthly('Large', 90));
    const { customerId, subscriptionId } = await subscribe(workspace, small);
    const path = `/v1/subscriptions/${subscriptionId}`;
    await advanceClock(workspace, HALF);
    const { amendment } = await post(`${path}/amend`, { planId: large });
    await post(`/v1/invoices/${amendment.invoiceId}/void`);
    await advanceClock(workspace, '2026-04-17T00:00:00.000Z');
    const { amendment: back, invoice } = await post(`${path}/amend`, { planId: small });
    expect([back.status, back.invoiceId, invoice]).toEqual(['applied', null, null]);
    await advanceClock(workspace, END);
    expect((await invoicesOf(customerId)).map(({ status, total }) => [status, total])).toEqual([
      ['open', 30],
      ['void', 30],
      ['open', 30],
    ]);
  });
});

describe('several changes for one instant', () => {
  it('are replaced by the newest, which previews and invoices show', async () => {
    const seats = {
      config: { model: 'unit', unitPrice: 10, currency: 'USD' },
      timing: 'in_advance',
    } as const;
    const planId = await createPlan(workspace, { name: 'Seats', ...seats });
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { Seats: priceId } = await pricesOf(subscriptionId);
    const units = (quantity: number) => ({ quantities: [{ priceId, quantity }] });
    await post(`${path}/amend`, { ...units(5), prorate: false });
    const { amendment: ten } = await post(`${path}/schedule-amendment`, units(10));
    const { invoice: preview } = await post(`${path}/schedule-amendment`, { ...units(8), preview: true });
    const { amendment: eight } = await post(`${path}/schedule-amendment`, units(8));
    expect((await get(`${path}/amendments`)).data.slice(0, 2)).toMatchObject([
      { id: eight.id, status: 'scheduled', replacedBy: null },
      { id: ten.id, status: 'canceled', replacedBy: eight.id },
    ]);
    expect(await post(`${path}/invoices/compute`)).toMatchObject({ total: 80, lines: preview.lines });
    await advanceClock(workspace, END);
    const [, , renewal, ...others] = await invoicesOf(customerId);
    expect(others).toEqual([]);
    expect(renewal).toMatchObject({ total: 80, lines: preview.lines });
  });
});

describe('POST /v1/subscriptions/:id/migrate', () => {
  it('moves to the published version of the plan and the newest of its prices', async () => {
    const planId = await createPlan(workspace, monthly('Base', 30));
    const { subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { Base: priceId } = await pricesOf(subscriptionId);
    expect(await post(`${path}/migrate`, {}, 400)).toMatchObject({ code: 'nothing_to_amend' });
    const config = { model: 'flat', amount: 60, currency: 'USD' };
    await workspace.http.patch(`/v1/prices/${priceId}`, { config }).expect(200);
    await advanceClock(workspace, HALF);
    const { invoice: preview } = await post(`${path}/migrate`, { preview: true });
    const { invoice, amendment, subscription } = await post(`${path}/migrate`);
    expect(invoice).toEqual(preview);
    expect(invoice.total).toBe(15);
    expect(amendment).toMatchObject({ type: 'migrate', planId });
    expect(subscription.prices).toMatchObject([{ priceId, version: 2 }]);
    await post(`${path}/migrate`, { effectiveAt: 'period_end' }, 400);
  });

  it('keeps the prices that were added and removed, and the units', async () => {
    const planId = await createPlan(workspace, monthly('Base', 30), monthly('Extra', 5), seats);
    const { subscriptionId } = await subscribe(workspace, planId);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const { Base: base, Extra: extra, Seats: seat } = await pricesOf(subscriptionId);
    const { id: support } = await create('/v1/prices', monthly('Support', 6));
    const quantities = [{ priceId: seat, quantity: 10 }];
    await post(`${path}/amend`, { addPrices: [support], removePrices: [extra], quantities });
    await patch(`/v1/prices/${base}`, { config: { model: 'flat', amount: 40, currency: 'USD' } });
    const { subscription } = await post(`${path}/migrate`);
    expect(
      subscription.prices.map(({ name, quantity }: { name: string; quantity: number }) => [name, quantity]),
    ).toEqual([
      ['Base', 1],
      ['Seats', 10],
      ['Support', 1],
    ]);
    const member = { ...seats, name: 'Member', config: { ...seats.config, unitPrice: 12 } };
    const other = await createPlan(workspace, member, { ...member, name: 'Guest' });
    expect(await post(`${path}/amend`, { planId: other, preview: true }, 400)).toMatchObject({
      code: 'price_map_required',
    });
    await post(`${path}/amend`, { planId: other, priceMap: [] }, 400);
    const only = await createPlan(workspace, member);
    const moved = await post(`${path}/amend`, { planId: only });
    expect(moved.subscription.prices).toMatchObject([{ name: 'Member', quantity: 10 }, { name: 'Support' }]);
    expect(moved.amendment.replacements).toContainEqual({
      from: seat,
      to: moved.subscription.prices[0].priceId,
    });
  });
});

describe('the ledger', () => {
  it('agrees with every invoice of these changes', async () => {
    const { found, invoiceCount: invoices } = await verificationOf(system);
    expect(found).toEqual([]);
    expect(invoices).toBeGreaterThan(15);
  });
});

/** Previews the amendment, and then makes it. Checks that the preview changes nothing and that the invoice has its lines. */
async function amendAsPreviewed(customerId: string, path: string, body: object): Promise<InvoiceView> {
  const before = await invoicesOf(customerId);
  const subscription = await get(path);
  const previewed = await post(`${path}/amend`, { ...body, preview: true });
  const { invoice: preview } = previewed;
  expect(previewed.amendment).toMatchObject({ id: null, status: 'preview', invoiceId: null });
  expect(await get(path)).toEqual(subscription);
  expect(await invoicesOf(customerId)).toEqual(before);
  const { invoice, amendment } = await post(`${path}/amend`, body);
  expect(invoice).toEqual(preview);
  expect(amendment).toMatchObject({ status: 'applied', type: 'amend' });
  await advanceClock(workspace, new Date(Date.parse(amendment.effectiveAt) + 1_000).toISOString());
  const made = await get(`/v1/invoices/${amendment.invoiceId}`);
  expect({ lines: made.lines, total: made.total, balanceCredited: made.balanceCredited }).toEqual({
    lines: preview.lines,
    total: preview.total,
    balanceCredited: preview.balanceCredited,
  });
  return made;
}

/** A subscription, in the middle of its period, with usage of a metric whose SQL fails. `count` corrects the metric. */
async function unmeasurable() {
  const bySql = (sql: string) => ({ aggregation: { type: 'sql' }, sql });
  const metric = { name: 'Shares', eventName: 'share', ...bySql(`sum(1 / number(properties->'n'))`) };
  const { id: metricId } = await create('/v1/metrics', metric);
  const planId = await createPlan(workspace, monthly('Small', 30), perUnit('Shares', metricId, 1));
  const { customerId, subscriptionId } = await subscribe(workspace, planId);
  await use(workspace, customerId, 'share', START, { n: 0 });
  await advanceClock(workspace, HALF);
  const path = `/v1/subscriptions/${subscriptionId}`;
  return { customerId, path, metricId, count: bySql('count(*)') };
}

/** A fee a month, charged in advance. */
function monthly(name: string, amount: number) {
  return fee(name, amount, { timing: 'in_advance' });
}

/** The ids of a subscription's prices by their names. */
async function pricesOf(subscriptionId: string): Promise<Record<string, string>> {
  const { prices } = await get(`/v1/subscriptions/${subscriptionId}`);
  return Object.fromEntries(
    prices.map(({ name, priceId }: { name: string; priceId: string }) => [name, priceId]),
  );
}

function printed(lines: InvoiceLineView[]): string[] {
  return lines.map(({ type, description, amount, periodStart, periodEnd }) =>
    [type, description, amount, periodStart.slice(0, 10), periodEnd.slice(0, 10)].join(' | '),
  );
}
