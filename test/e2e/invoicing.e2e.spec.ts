import { describe, expect, it, jest } from '@jest/globals';
import { InvalidRequest } from '#libs/kernel/core';
import { beforeCommand } from '../support/before-command.js';
import { readCii, readUbl, violations } from '../support/en16931/index.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  Gate,
  ledgerBalances,
  perUnit,
  subscribe,
  use,
  workspacePerTest,
} from '../support/index.js';
import { jumpClock } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/*
 * What is taken off an invoice, added to it and given back of it: from the request to the ledger. Comments work the
 * amounts out by hand. The last test verifies the whole log.
 */

const { system, workspace, http, get, post, create, invoicesOf, newestInvoice } = workspacePerTest();

describe('taxes', () => {
  it('are the defaults, or the customer’s own, or none with a reason; and stand on invoice, preview, page and books', async () => {
    const [added, contained] = [await vat(), await vat({ inclusive: true })];
    await http.put('/v1/billing-settings', { defaultTaxRateIds: [added.id] }).expect(200);
    const planId = await createPlan(workspace, fee('Pro', 10.55, { timing: 'in_advance' }));
    await subscribe(workspace, planId, { id: 'default' });
    await subscribe(workspace, planId, { id: 'own', taxRateIds: [contained.id] });
    const exempt = await subscribe(workspace, planId, { id: 'exempt', taxExemptReason: 'Reverse charge' });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');

    // 10.55 × 19 % = 2.0045, added.
    const first = await newestInvoice('default');
    const rate = { name: 'VAT', percentage: 19 };
    expect(first).toMatchObject({
      subtotal: 10.55,
      taxes: [{ taxRateId: added.id, ...rate, inclusive: false, taxable: 10.55, amount: 2 }],
      taxExemptReason: null,
      total: 12.55,
      amountDue: 12.55,
    });
    // 10.55 × 19 / 119 = 1.684, contained.
    expect(await newestInvoice('own')).toMatchObject({
      subtotal: 10.55,
      taxes: [{ taxRateId: contained.id, ...rate, inclusive: true, taxable: 8.87, amount: 1.68 }],
      total: 10.55,
    });
    expect(await newestInvoice('exempt')).toMatchObject({
      taxes: [],
      taxExemptReason: 'Reverse charge',
      total: 10.55,
    });
    // All fees are of the period that has just begun: 10.55 + 8.87 + 10.55.
    expect(await ledgerBalances(workspace)).toEqual({
      accounts_receivable: 33.65,
      deferred_revenue: -29.97,
      tax_payable: -3.68,
    });
    const { body: link } = await http.get(`/v1/invoices/${first.id}/link`).expect(200);
    const page = await fetch(link.url.replace('http://127.0.0.1:3000', system.url));
    expect(await page.text()).toMatch(/VAT 19%[^]*\$2\.00[^]*\$12\.55/);

    await http.patch('/v1/customers/exempt', { taxExemptReason: null }).expect(200);
    const next = await http.post(`/v1/subscriptions/${exempt.subscriptionId}/invoices/compute`).expect(200);
    expect(next.body).toMatchObject({ subtotal: 10.55, taxes: [{ amount: 2 }], total: 12.55 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    const billed = await newestInvoice('exempt');
    expect({ lines: billed['lines'], taxes: billed['taxes'] }).toEqual({
      lines: (next.body.lines as object[]).map((line) => ({ ...line, id: expect.any(String) })),
      taxes: next.body.taxes,
    });

    await post(`/v1/invoices/${first.id}/void`);
    // 3.68 for January, 2 × 2.00 and 1.68 for February, less the 2.00 that were voided.
    expect(await ledgerBalances(workspace)).toMatchObject({ tax_payable: -7.36 });
  });

  it('can be given to nobody once they are archived, and leave whoever has them as they are', async () => {
    const rate = await vat();
    await create('/v1/customers', { id: 'before', name: 'A', taxRateIds: [rate.id] });
    const other = await vat();
    await http.put('/v1/billing-settings', { defaultTaxRateIds: [other.id] }).expect(200);
    await post(`/v1/tax-rates/${other.id}/archive`);
    expect(await post(`/v1/tax-rates/${rate.id}/archive`)).toMatchObject({ archived: true });
    const refused = [
      await http.post('/v1/customers', { name: 'B', taxRateIds: [rate.id] }).expect(400),
      await http.patch('/v1/customers/before', { taxRateIds: ['tax_none'] }).expect(404),
      await http.put('/v1/billing-settings', { defaultTaxRateIds: [rate.id] }).expect(400),
    ];
    expect(refused.map(({ body }) => body.details[0].field)).toEqual([
      'taxRateIds',
      'taxRateIds[0]',
      'defaultTaxRateIds',
    ]);
    const settings = await get('/v1/billing-settings');
    expect((await http.put('/v1/billing-settings', settings).expect(200)).body).toEqual(settings);
    const { taxRateIds } = await get('/v1/customers/before');
    expect(taxRateIds).toEqual([rate.id]);
    await http.patch('/v1/customers/before', { name: 'B', taxRateIds }).expect(200);
  });
});

describe('coupons', () => {
  const coupon = (body: object) => create('/v1/coupons', { name: 'Welcome', ...body });
  const totals = async (customerId: string) => (await invoicesOf(customerId)).map(({ total }) => total);

  it('take a share off as many invoices as they are for; previews use none, and a void invoice gives its use back', async () => {
    await coupon({ id: 'THREE', percentOff: 10, duration: 'repeating', durationInInvoices: 3 });
    const planId = await createPlan(workspace, fee('Pro', 100, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, {
      id: 'north',
      subscription: { coupons: ['THREE'] },
    });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');
    const january = await newestInvoice('north');
    expect(january).toMatchObject({
      subtotal: 100,
      discounts: [{ couponId: 'THREE', name: 'Welcome', amount: 10 }],
      lines: [{ amount: 100, discount: 10 }],
      total: 90,
    });
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 90, deferred_revenue: -90 });
    for (let i = 0; i < 3; i++)
      expect(await post(`/v1/subscriptions/${subscriptionId}/invoices/compute`)).toMatchObject({
        discounts: [{ amount: 10 }],
        total: 90,
      });
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    expect(await totals('north')).toEqual([90, 90, 90, 100]);
    await post(`/v1/invoices/${january.id}/void`);
    await advanceClock(workspace, '2026-06-01T00:00:00.000Z');
    expect(await totals('north')).toEqual([90, 90, 90, 100, 90, 100]);
    const { body } = await http.get(`/v1/subscriptions/${subscriptionId}/coupons`).expect(200);
    expect(body.data).toMatchObject([{ couponId: 'THREE', subscriptionId, usedOn: { length: 3 } }]);
  });

  it('are for billing periods, however many invoices a period has', async () => {
    await coupon({ id: 'THREE', percentOff: 20, duration: 'repeating', durationInInvoices: 3 });
    const config = { model: 'unit', unitPrice: 10, currency: 'USD' };
    const planId = await createPlan(workspace, { name: 'Seat', timing: 'in_advance', config });
    const plan = await get(`/v1/plans/${planId}`);
    const { subscriptionId } = await subscribe(workspace, planId, {
      id: 'north',
      subscription: { coupons: ['THREE'] },
    });
    const seatsFrom = async (day: string, quantity: number) => {
      await advanceClock(workspace, day);
      const quantities = [{ priceId: plan.prices[0].priceId, quantity }];
      await post(`/v1/subscriptions/${subscriptionId}/amend`, { quantities });
    };
    await seatsFrom('2026-01-11T00:00:00.000Z', 2);
    await seatsFrom('2026-01-21T00:00:00.000Z', 3);
    await advanceClock(workspace, '2026-04-01T00:00:01.000Z');
    const invoices = await invoicesOf('north');
    expect(invoices.map(({ discounts }) => discounts.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect((await totals('north')).slice(3)).toEqual([24, 24, 30]);
  });

  it('for months discount a yearly fee for its time within the months, and later fees not at all', async () => {
    const both = { duration: 'repeating', durationInInvoices: 3, durationInMonths: 3 };
    const refused = await http.post('/v1/coupons', { name: 'Both', percentOff: 20, ...both }).expect(400);
    expect(refused.body.details).toEqual([
      { field: 'durationInMonths', message: 'cannot be given with durationInInvoices; give one of them' },
    ]);
    const made = await coupon({ id: 'SPRING', percentOff: 20, duration: 'repeating', durationInMonths: 3 });
    expect(made).toMatchObject({ duration: 'repeating', durationInInvoices: null, durationInMonths: 3 });
    const year = await createPlan(workspace, fee('Year', 1200, { timing: 'in_advance', cadence: 'annual' }));
    await subscribe(workspace, year, { id: 'north', subscription: { coupons: ['SPRING'] } });
    const month = await createPlan(workspace, fee('Month', 100, { timing: 'in_advance' }));
    await subscribe(workspace, month, { id: 'south', subscription: { coupons: ['SPRING'] } });
    await advanceClock(workspace, '2026-04-01T00:00:01.000Z');
    // 20% of 1200 for 90 of 365 days.
    expect(await totals('north')).toEqual([1140.82]);
    expect(await totals('south')).toEqual([80, 80, 80, 100]);
  });

  it('can be redeemed again, if a request stopped between the redemption and the customer', async () => {
    await coupon({ id: 'LAST', percentOff: 10, maxRedemptions: 1 });
    for (const id of ['first', 'second']) await create('/v1/customers', { id, name: id });
    const apply = (id: string) => http.post(`/v1/customers/${id}/coupons`, { couponId: 'LAST' });
    beforeCommand(system.api, 'ApplyCoupon', () => Promise.reject(new Error('Stopped')));
    await apply('first').expect(500);
    jest.restoreAllMocks();
    expect((await apply('second').expect(409)).body).toMatchObject({ code: 'coupon_used_up' });
    await advanceClock(workspace, '2026-01-01T00:10:00.000Z');
    await apply('second').expect(201);
    await advanceClock(workspace, '2026-01-01T01:00:00.000Z');
    expect((await apply('first').expect(409)).body).toMatchObject({ code: 'coupon_used_up' });
  });

  it('are redeemed once, if there is one redemption, though twenty apply them at once', async () => {
    await coupon({ id: 'SINGLE', percentOff: 10, maxRedemptions: 1 });
    const customers = Array.from({ length: 20 }, (_, i) => `c${i}`);
    for (const id of customers) await create('/v1/customers', { id, name: id });
    const gate = new Gate(20);
    beforeCommand(system.api, 'RedeemCoupon', () => gate.pass());
    const answers = await Promise.all(
      customers.map((id) =>
        http.post(`/v1/customers/${id}/coupons`, { couponId: 'SINGLE' }).then((answer) => answer),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'coupon_used_up')).toHaveLength(19);
    expect(await get('/v1/coupons/SINGLE')).toMatchObject({ redemptions: 1 });
  });

  it('are used once, if they are for one invoice, though two are made at once', async () => {
    await coupon({ id: 'ONCE', amountOff: 4, currency: 'USD' });
    const planId = await createPlan(workspace, fee('Pro', 10));
    const { customerId } = await subscribe(workspace, planId, { id: 'north' });
    await create('/v1/subscriptions', { customerId, planId });
    await create(`/v1/customers/${customerId}/coupons`, { couponId: 'ONCE' });
    const gate = new Gate(2);
    beforeCommand(system.api, 'UseCoupons', () => gate.pass());
    const timers = Promise.withResolvers<void>();
    beforeCommand(system.saga, 'AdvanceSubscription', () => timers.promise);
    await jumpClock(system, workspace, '2026-02-01T00:00:00.000Z');
    await post('/v1/billing/run');
    timers.resolve();
    expect((await totals(customerId)).toSorted()).toEqual([10, 6]);
  });

  it('can be limited to plans and prices, expire, and be removed and deactivated', async () => {
    const prices = [fee('Pro', 10, { timing: 'in_advance' }), fee('Extra', 30, { timing: 'in_advance' })];
    const planId = await createPlan(workspace, ...prices);
    const other = await createPlan(workspace, fee('Other', 10));
    const { body: plan } = await http.get(`/v1/plans/${planId}`).expect(200);
    const extra = plan.prices[1].priceId as string;
    await coupon({ id: 'PLAN', amountOff: 50, currency: 'USD', duration: 'forever', planIds: [other] });
    await coupon({
      id: 'PRICE',
      percentOff: 50,
      duration: 'forever',
      priceIds: [extra],
      expiresAt: '2026-01-15T00:00:00Z',
    });
    const { subscriptionId } = await subscribe(workspace, planId, {
      id: 'north',
      subscription: { coupons: ['PRICE'] },
    });
    const refused = await http
      .post(`/v1/subscriptions/${subscriptionId}/coupons`, { couponId: 'PLAN' })
      .expect(409);
    expect(refused.body.code).toBe('coupon_of_other_plans');
    // For its subscriptions to that plan, of which it has none.
    await create('/v1/customers/north/coupons', { couponId: 'PLAN' });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    // 10 + 30 − 15, also when it can be redeemed no more.
    expect(await totals('north')).toEqual([25, 25]);
    const { body } = await http.post('/v1/customers/north/coupons', { couponId: 'PRICE' }).expect(409);
    expect(body.code).toBe('coupon_expired');
    const late = { name: 'Late', percentOff: 10, expiresAt: '2026-02-01T00:00:00Z' };
    const expired = await http.post('/v1/coupons', late).expect(400);
    expect(expired.body.details).toMatchObject([{ field: 'expiresAt' }]);
    const { body: coupons } = await http.get(`/v1/subscriptions/${subscriptionId}/coupons`).expect(200);
    await http.delete(`/v1/subscriptions/${subscriptionId}/coupons/${coupons.data[0].id}`).expect(204);
    await http.delete(`/v1/subscriptions/${subscriptionId}/coupons/${coupons.data[0].id}`).expect(404);
    await post('/v1/coupons/PLAN/deactivate');
    const inactive = await http.post('/v1/customers/north/coupons', { couponId: 'PLAN' }).expect(409);
    expect(inactive.body.code).toBe('coupon_inactive');
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(await totals('north')).toEqual([25, 25, 40]);
  });

  it('are not spent on a subscription that is refused', async () => {
    await coupon({ id: 'A', percentOff: 10, maxRedemptions: 1 });
    const planId = await createPlan(workspace, fee('Pro', 10));
    await create('/v1/customers', { id: 'north', name: 'North' });
    const subscription = { customerId: 'north', planId };
    const subscribeWith = (more: object) => http.post('/v1/subscriptions', { ...subscription, ...more });
    await subscribeWith({ coupons: ['A'], quantities: [{ priceId: 'price_none', quantity: 2 }] }).expect(400);
    await subscribeWith({ coupons: ['A', 'NONE'] }).expect(404);
    const { body: twice } = await subscribeWith({ coupons: ['A', 'A'] }).expect(400);
    expect(twice.details).toEqual([{ field: 'coupons', message: 'must not name a coupon twice' }]);
    expect(await get('/v1/coupons/A')).toMatchObject({ redemptions: 0 });
    expect((await get('/v1/customers/north/coupons')).data).toEqual([]);
    await subscribeWith({ coupons: ['A'] }).expect(201);
  });
});

describe('an invoice by hand', () => {
  const lines = [
    { description: 'Setup', unitPrice: 250 },
    {
      description: 'Support',
      quantity: 2,
      unitPrice: 15.125,
      periodStart: '2026-01-01T00:00:00Z',
      periodEnd: '2026-02-01T00:00:00Z',
    },
  ];

  it('is taxed, opened and booked like any other, and can be written off and paid after all', async () => {
    const rate = await create('/v1/tax-rates', { name: 'GST', percentage: 10 });
    await create('/v1/customers', { id: 'north', name: 'North', taxRateIds: [rate.id] });
    const made = await create('/v1/invoices', { customerId: 'north', lines, netDays: 7, memo: 'As agreed' });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');
    // 250 + 30.25, and 10 % of it is 28.025.
    expect(await newestInvoice('north')).toMatchObject({
      id: made.id,
      kind: 'manual',
      status: 'open',
      number: 'INV-000001',
      memo: 'As agreed',
      lines: [
        { type: 'manual', description: 'Setup', priceId: null, quantity: 1, amount: 250 },
        { type: 'manual', description: 'Support', quantity: 2, unitPrice: 15.125, amount: 30.25 },
      ],
      subtotal: 280.25,
      taxes: [{ amount: 28.03 }],
      total: 308.28,
      dueDate: '2026-01-08T00:00:00.000Z',
    });
    const books = { revenue: -250, deferred_revenue: -30.25, tax_payable: -28.03 };
    expect(await ledgerBalances(workspace)).toEqual({ ...books, accounts_receivable: 308.28 });

    const path = `/v1/invoices/${made.id}/mark-uncollectible`;
    expect(await post(path)).toMatchObject({ status: 'uncollectible', amountDue: 308.28 });
    expect((await http.post(path).expect(409)).body.code).toBe('invoice_not_open');
    expect(await ledgerBalances(workspace)).toEqual({ ...books, bad_debt: 308.28 });
    await create('/v1/customers/north/payment-methods', { type: 'test', test: 'pm_card_visa' });
    expect(await post(`/v1/invoices/${made.id}/pay`)).toMatchObject({ status: 'paid' });
    expect(await ledgerBalances(workspace)).toEqual({ ...books, cash: 308.28 });
  });

  it('is answered with what it becomes: open, paid by the balance, void or a draft with the time of its opening', async () => {
    await create('/v1/customers', { id: 'north', name: 'North' });
    const make = (more: object = {}) => create('/v1/invoices', { customerId: 'north', lines, ...more });
    const opened = await make();
    expect(opened).toMatchObject({ status: 'open', number: 'INV-000001', dueDate: expect.any(String) });
    expect(opened).toMatchObject({ opensAt: null, amountDue: 280.25 });
    expect(await make({ draft: true })).toMatchObject({ status: 'draft', number: null, opensAt: null });
    await post('/v1/customers/north/balance', { amount: 300, reason: 'Gift' });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');
    expect(await make()).toMatchObject({ status: 'open', amountDue: 260.5, balanceApplied: 19.75 });
    await http.put('/v1/billing-settings', { skipZeroInvoices: true }).expect(200);
    expect(await make({ lines: [{ description: 'Nothing', unitPrice: 0 }] })).toMatchObject({
      status: 'void',
    });
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    expect(await make()).toMatchObject({ status: 'draft', opensAt: '2026-01-02T00:00:01.000Z' });
    await http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
    expect(await make()).toMatchObject({ status: 'draft', opensAt: null });
  });

  it('takes something off on lines below zero, as long as something is left', async () => {
    await create('/v1/customers', { id: 'north', name: 'North' });
    const discount = { description: 'As agreed', unitPrice: -50.5 };
    await create('/v1/invoices', { customerId: 'north', lines: [...lines, discount] });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');
    // 250 + 30.25 - 50.50.
    expect(await newestInvoice('north')).toMatchObject({
      status: 'open',
      lines: [{ amount: 250 }, { amount: 30.25 }, { unitPrice: -50.5, amount: -50.5 }],
      total: 229.75,
    });
    expect(await ledgerBalances(workspace)).toEqual({
      revenue: -199.5,
      deferred_revenue: -30.25,
      accounts_receivable: 229.75,
    });
    const below = { customerId: 'north', lines: [{ description: 'A', unitPrice: 10 }, discount] };
    const { body } = await http.post('/v1/invoices', below).expect(400);
    expect(body.details[0].field).toBe('lines');
    expect(body.error).toContain('-40.50 USD');
    expect(body.error).toContain('credit note');
    await create('/v1/coupons', {
      id: 'FIVE',
      name: 'Five',
      amountOff: 5,
      currency: 'USD',
      duration: 'once',
    });
    const even = [{ description: 'A', unitPrice: 52 }, discount];
    const refused = await http
      .post('/v1/invoices', { customerId: 'north', lines: even, coupons: ['FIVE'] })
      .expect(400);
    expect(refused.body.error).toContain('-3.50 USD less their coupons');
    expect(refused.body.error).toContain('leave a coupon out');
  });

  it('uses coupons that the customer has or can use, and gives them back when it is voided', async () => {
    const rate = await create('/v1/tax-rates', { name: 'GST', percentage: 10 });
    await create('/v1/customers', { id: 'north', name: 'North', taxRateIds: [rate.id] });
    const coupon = (id: string, more: object) => create('/v1/coupons', { id, name: id, ...more });
    await coupon('HALF', { percentOff: 50, maxRedemptions: 1 });
    await coupon('FIVE', { amountOff: 5, currency: 'USD' });
    await create('/v1/customers/north/coupons', { couponId: 'FIVE' });
    const setup = { customerId: 'north', lines: lines.slice(0, 1), draft: true };
    const made = await create('/v1/invoices', { ...setup, coupons: ['FIVE', 'HALF'] });
    const discounts = made['discounts'] as { couponId: string; redemptionId: string }[];
    const redemptionOf = (couponId: string): string =>
      discounts.find((one) => one.couponId === couponId)!.redemptionId;
    // 250 - 5, half of it, and 10 % of that.
    expect(made).toMatchObject({
      subtotal: 250,
      discounts: [
        { couponId: 'FIVE', amount: 5 },
        { couponId: 'HALF', amount: 122.5 },
      ],
      lines: [
        {
          discount: 127.5,
          discountedBy: [
            { redemptionId: redemptionOf('FIVE'), amount: 5 },
            { redemptionId: redemptionOf('HALF'), amount: 122.5 },
          ],
        },
      ],
      total: 134.75,
    });
    const uses = async () =>
      (await get('/v1/customers/north/coupons')).data.map((one: { couponId: string; usedOn: string[] }) => [
        one.couponId,
        ...one.usedOn,
      ]);
    expect(await uses()).toEqual([
      ['FIVE', made.id],
      ['HALF', made.id],
    ]);
    const refused = async (coupons: string[], more: object = {}) =>
      (await http.post('/v1/invoices', { ...setup, ...more, coupons })).body;
    expect(await refused(['HALF'])).toMatchObject({ code: 'coupon_used_up' });
    expect(await refused(['NONE'])).toMatchObject({ code: 'coupon_not_found' });
    await post(`/v1/invoices/${made.id}/void`);
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');
    expect(await uses()).toEqual([['FIVE'], ['HALF']]);
    expect(await refused(['FIVE'], { currency: 'EUR' })).toMatchObject({
      details: [{ field: 'coupons[0]' }],
    });
    expect(await create('/v1/invoices', { ...setup, coupons: ['HALF'] })).toMatchObject({ total: 137.5 });
    expect(await create('/v1/invoices', setup)).toMatchObject({ discounts: [], total: 275 });
  });

  it('stays a draft if it is to, and names what is wrong with it', async () => {
    await create('/v1/customers', { id: 'north', name: 'North' });
    await create('/v1/invoices', { customerId: 'north', lines, currency: 'JPY', draft: true });
    await advanceClock(workspace, '2026-01-02T00:00:00.000Z');
    // 250 and 30.25, in whole yen.
    expect(await newestInvoice('north')).toMatchObject({ status: 'draft', total: 280, number: null });
    const refused = await http
      .post('/v1/invoices', { customerId: 'north', lines: [{ unitPrice: '1' }] })
      .expect(400);
    expect((refused.body.details as { field: string }[]).map(({ field }) => field)).toEqual([
      'lines[0].description',
      'lines[0].unitPrice',
    ]);
    await http.post('/v1/invoices', { customerId: 'nobody', lines }).expect(404);
  });
});

describe('a part of a period', () => {
  it('is counted in time, or in days of the subscription’s calendar', async () => {
    await freezeClock(workspace, '2026-01-15T12:00:00.000Z');
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const subscription = { anchorDay: 1, timezone: 'Asia/Tokyo' };
    await subscribe(workspace, planId, { id: 'time', subscription });
    await advanceClock(workspace, '2026-01-15T12:00:01.000Z');
    await http.put('/v1/billing-settings', { prorationBasis: 'days' }).expect(200);
    await subscribe(workspace, planId, { id: 'days', subscription });
    await advanceClock(workspace, '2026-01-15T12:00:02.000Z');
    // From 21:00 in Tokyo on: 16 days and 3 hours, or 17 days, of 31.
    expect(await newestInvoice('time')).toMatchObject({ total: 16.13 });
    expect(await newestInvoice('days')).toMatchObject({ total: 17 });
  });
});

describe('a draft', () => {
  it('follows its usage through its grace period, and is opened with all that came', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const metric = await createMetric(workspace, 'calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metric, 0.1), fee('Pro', 5));
    const rate = await create('/v1/tax-rates', { name: 'GST', percentage: 10 });
    await subscribe(workspace, planId, { id: 'north', taxRateIds: [rate.id] });
    await use(workspace, 'north', 'call', '2026-01-01T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-02-01T01:00:00.000Z');
    expect(await newestInvoice('north')).toMatchObject({ status: 'draft', subtotal: 15, total: 16.5 });
    await use(workspace, 'north', 'call', '2026-01-31T23:59:59Z', { n: 20 });
    await advanceClock(workspace, '2026-02-01T23:00:00.000Z');
    expect(await newestInvoice('north')).toMatchObject({ status: 'draft' });
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    // 120 calls and the fee, and 10 % of it.
    const opened = await newestInvoice('north');
    expect(opened).toMatchObject({
      status: 'open',
      subtotal: 17,
      total: 18.7,
      issuedAt: '2026-02-02T00:00:00.000Z',
    });
    expect(await ledgerBalances(workspace)).toMatchObject({ accounts_receivable: 18.7, tax_payable: -1.7 });
    const { body } = await http.get('/v1/billing/history').expect(200);
    expect(body.data[0]).toMatchObject({ invoiceCount: 1, totals: [{ total: 18.7 }] });
  });

  it('is opened in the end although its metric cannot be measured at first', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const metric = await createMetric(workspace, 'calls', { type: 'sum', property: 'n' }, 'call');
    await subscribe(workspace, await createPlan(workspace, perUnit('Calls', metric, 0.1)), {
      id: 'unmeasured',
    });
    await advanceClock(workspace, '2026-02-01T01:00:00.000Z');
    await use(workspace, 'unmeasured', 'call', '2026-01-31T23:59:59Z', { n: 50 });
    let attempts = 0;
    beforeCommand(system.saga, 'RecomputeDraft', async () => {
      if (attempts++ === 0) throw new InvalidRequest('metric_sql_failed', 'The SQL divides by zero');
    });
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    expect(await newestInvoice('unmeasured')).toMatchObject({ status: 'open', total: 5 });
    expect(attempts).toBe(2);
  });

  it('takes the coupons off late usage that there was nothing to take off before', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const metric = await createMetric(workspace, 'calls', { type: 'sum', property: 'n' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metric, 0.1));
    await subscribe(workspace, planId, { id: 'late' });
    await create('/v1/coupons', { id: 'HALF', name: 'Half', percentOff: 50, duration: 'once' });
    await create('/v1/customers/late/coupons', { couponId: 'HALF' });
    await advanceClock(workspace, '2026-02-01T01:00:00.000Z');
    expect(await newestInvoice('late')).toMatchObject({ status: 'draft', total: 0, discounts: [] });
    await use(workspace, 'late', 'call', '2026-01-31T23:59:59Z', { n: 100 });
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    const opened = await newestInvoice('late');
    expect(opened).toMatchObject({ status: 'open', subtotal: 10, total: 5 });
    const { body } = await http.get('/v1/customers/late/coupons').expect(200);
    expect(body.data).toMatchObject([{ couponId: 'HALF', usedOn: [opened.id] }]);
  });

  it('uses no coupon any more that has nothing left to take off after a correction', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const metric = await createMetric(workspace, 'calls', { type: 'sum', property: 'n' }, 'call');
    await subscribe(workspace, await createPlan(workspace, perUnit('Calls', metric, 0.1)), { id: 'wrong' });
    await create('/v1/coupons', { id: 'HALF', name: 'Half', percentOff: 50, duration: 'once' });
    await create('/v1/customers/wrong/coupons', { couponId: 'HALF' });
    await use(workspace, 'wrong', 'call', '2026-01-01T00:00:00Z', { n: 100 });
    await advanceClock(workspace, '2026-02-01T01:00:00.000Z');
    expect(await newestInvoice('wrong')).toMatchObject({ status: 'draft', subtotal: 10, total: 5 });
    await use(workspace, 'wrong', 'call', '2026-01-31T23:59:59Z', { n: -100 });
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    expect(await newestInvoice('wrong')).toMatchObject({ status: 'paid', total: 0, discounts: [] });
    const { body } = await http.get('/v1/customers/wrong/coupons').expect(200);
    expect(body.data).toMatchObject([{ couponId: 'HALF', usedOn: [] }]);
  });

  it('that charges nothing is dropped without a number, if the settings say so', async () => {
    const metric = await createMetric(workspace, 'calls', { type: 'count' }, 'call');
    const planId = await createPlan(workspace, perUnit('Calls', metric, 0.1));
    await subscribe(workspace, planId, { id: 'issued' });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    expect(await invoicesOf('issued')).toMatchObject([{ status: 'paid', number: 'INV-000001', total: 0 }]);
    await http.put('/v1/billing-settings', { skipZeroInvoices: true }).expect(200);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(await newestInvoice('issued')).toMatchObject({
      status: 'void',
      number: null,
      voidReason: 'Nothing was charged',
    });
    await use(workspace, 'issued', 'call', '2026-03-01T00:00:00Z');
    await advanceClock(workspace, '2026-04-01T00:00:00.000Z');
    expect(await newestInvoice('issued')).toMatchObject({
      status: 'open',
      number: 'INV-000002',
      total: 0.1,
    });
  });
});

describe('e-invoices', () => {
  const file = async (path: string): Promise<string> =>
    String((await http.get(path).responseType('blob').expect(200)).body);
  const seller = {
    legalName: 'Contoso GmbH',
    address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
    taxId: 'DE 123 456 789',
    bankAccount: { iban: 'DE89 3704 0044 0532 0130 00' },
  };
  const address = { line1: '1 rue de la Paix', city: 'Paris', postalCode: '75002', country: 'FR' };

  /** An invoice over 119.00, with 19 % of tax, and a second from now. */
  async function invoiced(customerId: string, seconds: number): Promise<string> {
    const { id } = await create('/v1/invoices', {
      customerId,
      lines: [{ description: 'Setup', unitPrice: 100 }],
    });
    await advanceClock(workspace, `2026-01-01T00:00:0${seconds}.000Z`);
    return id;
  }

  it('say what was known when the invoice was made, or name what was not', async () => {
    const rate = await vat();
    await create('/v1/customers', { id: 'north', name: 'Northwind', currency: 'EUR', taxRateIds: [rate.id] });
    const before = await invoiced('north', 1);
    const { body } = await http.get(`/v1/invoices/${before}/xml`).expect(409);
    expect(body).toMatchObject({ code: 'e_invoice_incomplete' });
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual([
      'seller.address',
      'seller.taxId',
      'customer.address',
    ]);

    const { body: settings } = await http.put('/v1/billing-settings', { seller }).expect(200);
    expect(settings.seller).toEqual({
      legalName: 'Contoso GmbH',
      registrationNumber: null,
      email: null,
      phone: null,
      taxNumber: null,
      taxExemptReason: null,
      contactName: null,
      electronicAddress: null,
      taxId: 'DE123456789',
      bankAccount: { iban: 'DE89370400440532013000', bic: null },
      address: { ...seller.address, line2: null, region: null },
    });
    await http.patch('/v1/customers/north', { address, taxId: 'fr 40303265045' }).expect(200);
    await http.get(`/v1/invoices/${before}/xml`).expect(409);
    const id = await invoiced('north', 2);
    const terms = readUbl(await file(`/v1/invoices/${id}/xml`));
    expect(terms).toMatchObject({
      number: 'INV-000002',
      issueDate: '2026-01-01',
      currency: 'EUR',
      iban: 'DE89370400440532013000',
      seller: { name: 'Contoso GmbH', country: 'DE', vatId: 'DE123456789' },
      buyer: { name: 'Northwind', country: 'FR', vatId: 'FR40303265045' },
      totals: { withoutVat: '100.00', vat: '19.00', withVat: '119.00', due: '119.00' },
    });
    expect(violations(terms)).toEqual([]);
    expect(readCii(await file(`/v1/invoices/${id}/xml?format=cii`))).toEqual(terms);
    await http.get(`/v1/invoices/${id}/xml?format=pdf`).expect(400);

    await http.put('/v1/billing-settings', { seller: null }).expect(200);
    await http.patch('/v1/customers/north', { address: null }).expect(200);
    expect(readUbl(await file(`/v1/invoices/${id}/xml`))).toEqual(terms);
    const note = await create(`/v1/invoices/${id}/credit-note`, { reason: 'other', amount: 11.9 });
    const credited = readUbl(await file(`/v1/invoices/${id}/credit-notes/${note.id}/xml`), 'CreditNote');
    expect(credited).toMatchObject({
      number: 'CN-000001',
      typeCode: '381',
      preceding: 'INV-000002',
      totals: { withoutVat: '10.00', vat: '1.90', withVat: '11.90', due: '11.90' },
    });
    expect(violations(credited)).toEqual([]);
  });
});

describe('credit notes', () => {
  const credit = (invoiceId: string, body: object, status = 201) =>
    post(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'service_issue', ...body }, status);

  /** An invoice over 100 and 50 with 19 % of tax, 178.50, of a customer with or without a card. */
  async function invoiced(customerId: string, card: boolean): Promise<{ id: string; lineIds: string[] }> {
    const rate = await vat();
    await create('/v1/customers', { id: customerId, name: customerId, taxRateIds: [rate.id] });
    if (card)
      await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    const lines = [
      { description: 'Setup', unitPrice: 100 },
      { description: 'Training', unitPrice: 50 },
    ];
    const { id } = await create('/v1/invoices', { customerId, lines });
    const { body } = await http.get('/v1/sandbox/clock').expect(200);
    await advanceClock(workspace, new Date(Date.parse(body.now) + 1_000).toISOString());
    const invoice = await newestInvoice(customerId);
    return { id, lineIds: invoice.lines.map((line) => line.id) };
  }

  it('lower what is to be paid, line by line with their taxes, and settle it when nothing is left', async () => {
    const { id, lineIds } = await invoiced('north', false);
    // 50 and 9.50 of tax.
    expect(await credit(id, { lines: [{ lineId: lineIds[1], amount: 50 }], memo: 'Sorry' })).toMatchObject({
      number: 'CN-000001',
      reason: 'service_issue',
      lines: [{ lineId: lineIds[1], amount: 50 }],
      taxes: [{ name: 'VAT', taxable: 50, amount: 9.5 }],
      total: 59.5,
      unpaidAmount: 59.5,
      refundStatus: 'none',
    });
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      status: 'open',
      total: 178.5,
      amountDue: 119,
      amountCredited: 59.5,
    });
    expect(await ledgerBalances(workspace)).toEqual({
      accounts_receivable: 119,
      revenue: -150,
      refunds: 50,
      tax_payable: -19,
    });
    const again = await credit(id, { lines: [{ lineId: lineIds[1], amount: 0.01 }] }, 400);
    expect(again['code']).toBe('credit_exceeds_line');
    expect((await credit(id, { amount: 119.01 }, 400))['code']).toBe('credit_exceeds_invoice');
    expect((await credit(id, { amount: 1, to: 'refund' }, 400))['code']).toBe('not_creditable');
    expect((await http.post(`/v1/invoices/${id}/void`).expect(409)).body.code).toBe('invoice_credited');
    // All that is left.
    expect(await credit(id, {})).toMatchObject({ number: 'CN-000002', total: 119, taxes: [{ amount: 19 }] });
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      status: 'paid',
      amountDue: 0,
    });
    expect(await ledgerBalances(workspace)).toEqual({ revenue: -150, refunds: 150 });
  });

  it('refund what was paid, or add it to the balance, which the next invoice uses and which is given back first', async () => {
    const { id } = await invoiced('north', true);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid' });
    expect((await credit(id, { amount: 1, to: 'unpaid' }, 400))['code']).toBe('not_creditable');
    // 59.50 of 178.50 have 9.50 of tax in them.
    const refund = await credit(id, { amount: 59.5 });
    expect(refund).toMatchObject({
      total: 59.5,
      refundAmount: 59.5,
      refundStatus: 'succeeded',
      taxes: [{ amount: 9.5 }],
    });
    expect(await credit(id, { amount: 19, to: 'balance' })).toMatchObject({
      balanceAmount: 19,
      refundAmount: 0,
    });
    const books = { cash: 119, customer_credit: -19, revenue: -150 };
    expect(await ledgerBalances(workspace)).toMatchObject(books);
    await advanceClock(workspace, '2026-01-02T00:00:00.000Z');
    const { body: listed } = await http.get(`/v1/invoices/${id}/credit-notes`).expect(200);
    expect((listed.data as { number: string }[]).map(({ number }) => number)).toEqual([
      'CN-000001',
      'CN-000002',
    ]);
    const pdf = await http.get(`/v1/invoices/${id}/credit-notes/${refund.id}/pdf`).expect(200);
    expect(pdf.headers['content-type']).toBe('application/pdf');

    await create('/v1/invoices', { customerId: 'north', lines: [{ description: 'More', unitPrice: 100 }] });
    await advanceClock(workspace, '2026-01-03T00:00:00.000Z');
    const next = await newestInvoice('north');
    expect(next).toMatchObject({ total: 119, balanceApplied: 19, amountPaid: 100 });
    // 19 came from the balance and goes back there; the rest was paid by card.
    expect(await credit(next.id, {})).toMatchObject({ total: 119, balanceAmount: 19, refundAmount: 100 });
    expect((await credit(next.id, {}, 400))['code']).toBe('credit_exceeds_invoice');
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 119, customer_credit: -19 });
  });

  it('leave less of a fee to be given back when its subscription ends', async () => {
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'north' });
    await advanceClock(workspace, '2026-01-11T00:00:00.000Z');
    const first = await newestInvoice('north');
    await create('/v1/customers/north/payment-methods', { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${first.id}/pay`);
    const [line] = first.lines;
    await credit(first.id, { lines: [{ lineId: line!.id, amount: 20 }], to: 'balance' });
    // 21 of 31 days are left, of which 20 were given back and 11 are to be had.
    await post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    await advanceClock(workspace, '2026-01-12T00:00:00.000Z');
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 31, customer_credit: -31 });
  });

  it('never give back more than was paid, though two that fit alone and not together come at once', async () => {
    const { id } = await invoiced('north', true);
    const gate = new Gate(2);
    beforeCommand(system.api, 'IssueCreditNote', () => gate.pass());
    const answers = await Promise.all(
      [100, 100].map((amount) =>
        http.post(`/v1/invoices/${id}/credit-note`, { reason: 'other', amount }).then((answer) => answer),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)!.body.code).toBe('credit_exceeds_invoice');
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ amountCredited: 100 });
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 78.5 });
    const { body } = await http.get(`/v1/invoices/${id}/credit-notes`).expect(200);
    expect(body.data).toMatchObject([{ number: 'CN-000001' }]);
  });
});

describe('all that was billed here', () => {
  it('is verified', async () => {
    const { found, invoiceCount: invoices } = await verificationOf(system);
    expect(found).toEqual([]);
    expect(invoices).toBeGreaterThan(0);
  });
});

function vat(more: object = {}) {
  return create('/v1/tax-rates', { name: 'VAT', percentage: 19, ...more });
}
