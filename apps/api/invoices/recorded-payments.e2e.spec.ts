import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { InvoicePayments } from '#libs/contexts/collection';
import { beforeCommand, holdCommands } from '../../../test/support/before-command.js';
import { untilErased } from '../../../test/support/erasure.js';
import { createInvoice, customerWithCard, eventsOf, lineOf } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  createPlan,
  createPool,
  describeOfNode,
  fee,
  Gate,
  ledgerBalances,
  settle,
  subscribe,
  workspacePerTest,
} from '../../../test/support/index.js';

const { system, workspace, get } = workspacePerTest({ now: '2026-02-03T12:00:00Z' });

describe('a payment outside the gateway', () => {
  it('pays an invoice in two parts, and the excess pays the next invoice', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const first = { amount: 60, method: 'bank_transfer', paidAt: '2026-02-03', reference: 'E2E-1' };
    const { body: partly } = await workspace.http.post(`${path}/payments`, first).expect(201);
    expect(partly).toMatchObject({ status: 'open', total: 100, amountDue: 40, amountPaid: 60 });
    expect(partly.payments).toEqual([
      {
        id: expect.stringMatching(/^rpay_/),
        status: 'succeeded',
        method: 'bank_transfer',
        amount: 60,
        carriedForward: false,
        balanceCredited: 0,
        reference: 'E2E-1',
        paidAt: '2026-02-03T00:00:00.000Z',
        createdAt: '2026-02-03T12:00:01.000Z',
        reversedAt: null,
        reversalReason: null,
      },
    ]);
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 40, cash: 60, revenue: -100 });
    const key = { amount: 70, method: 'check' };
    const { body: paid } = await workspace.http.post(`${path}/payments`, key).expect(201);
    expect(paid).toMatchObject({ status: 'paid', amountDue: 0, amountPaid: 100 });
    expect(paid.payments[1]).toMatchObject({ amount: 70, balanceCredited: 30, method: 'check' });
    expect(await balanceOf(customerId)).toBe(30);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 130, customer_credit: -30, revenue: -100 });
    expect((await get(`${path}/payments`)).data).toEqual(paid.payments);
    await refused(`${path}/payments`, key, 400, 'invoice_already_paid');
    const next = await invoiceOver('20.00', customerId);
    expect(await get(next.path)).toMatchObject({ status: 'paid', balanceApplied: 20, payments: [] });
    expect(await balanceOf(customerId)).toBe(10);
  });

  it('is refused with the reason', async () => {
    const { path } = await invoiceOver('100.00', await customerWithCard(workspace, null));
    const pay = `${path}/payments`;
    const field = async (body: object, name: string) => {
      const { body: error } = await workspace.http.post(pay, body).expect(400);
      expect(error).toMatchObject({ code: 'validation_failed', details: [{ field: name }] });
    };
    const cash = { method: 'cash', amount: 1 };
    await field({ ...cash, amount: 1.001 }, 'amount');
    await field({ ...cash, amount: 0 }, 'amount');
    await field({ method: 'cash' }, 'amount');
    await field({ ...cash, method: 'gold' }, 'method');
    await field({ ...cash, paidAt: '2026-02-03T12:30:00Z' }, 'paidAt');
    await field({ ...cash, paidAt: '2026-02-02T23:59:59Z' }, 'paidAt');
    await field({ method: 'balance', paidAt: '2026-02-03' }, 'paidAt');
    await field({ method: 'balance', reference: 'x' }, 'reference');
    await field({ method: 'balance', amount: 101 }, 'amount');
    await refused(pay, { method: 'balance' }, 409, 'balance_too_low');
    await workspace.http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
    const draft = await createInvoice(system, workspace, await customerWithCard(workspace, null));
    await refused(`/v1/invoices/${draft}/payments`, cash, 409, 'invoice_not_open');
    await workspace.http.post(`${path}/void`, {}).expect(200);
    await refused(pay, cash, 400, 'invoice_void');
    await refused('/v1/invoices/inv_none/payments', cash, 404, 'invoice_not_found');
  });

  it('is recorded once for an idempotency key', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const pay = () =>
      workspace.http
        .post(`${path}/payments`, { method: 'cash', amount: 130 })
        .set('Idempotency-Key', 'key-1')
        .expect(201);
    const [{ body: first }, { body: second }] = [await pay(), await pay()];
    expect(second).toEqual(first);
    expect(first.payments).toHaveLength(1);
    expect(await balanceOf(customerId)).toBe(30);
  });

  it('leaves the rest for the card', async () => {
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclined');
    const { path } = await invoiceOver('100.00', customerId);
    expect((await get(`${path}/payment-attempts`)).data).toMatchObject([{ status: 'failed', amount: 100 }]);
    await workspace.http.post(`${path}/payments`, { method: 'cash', amount: 60 }).expect(201);
    const card = { type: 'test', test: 'pm_card_visa' };
    const { body } = await workspace.http
      .post(`/v1/customers/${customerId}/payment-methods`, card)
      .expect(201);
    await workspace.http.post(`/v1/customers/${customerId}/payment-methods/${body.id}/default`).expect(200);
    await settle(workspace);
    expect((await get(`${path}/payment-attempts`)).data).toMatchObject([
      { status: 'failed', amount: 100 },
      { status: 'succeeded', amount: 40 },
    ]);
    expect(await get(path)).toMatchObject({ status: 'paid', amountPaid: 100 });
    const note = { reason: 'other', amount: 50 };
    const { body: credited } = await workspace.http.post(`${path}/credit-note`, note).expect(201);
    expect(credited).toMatchObject({ refundAmount: 40, balanceAmount: 10 });
    await settle(workspace);
    expect(await ledgerBalances(workspace)).toEqual({
      cash: 60,
      customer_credit: -10,
      refunds: 50,
      revenue: -100,
    });
  });

  it('ends the retries and the past_due of a subscription, and its reversal brings that back', async () => {
    const planId = await createPlan(workspace, fee('Platform', 50, { timing: 'in_advance' }));
    const { subscriptionId, customerId } = await subscribe(workspace, planId);
    const card = { type: 'test', test: 'pm_card_chargeDeclined' };
    await workspace.http.post(`/v1/customers/${customerId}/payment-methods`, card).expect(201);
    await settle(workspace);
    const { data } = await get(`/v1/invoices?customer_id=${customerId}`);
    const path = `/v1/invoices/${data[0].id}`;
    const statusOf = async () => (await get(`/v1/subscriptions/${subscriptionId}`)).status as string;
    expect(await statusOf()).toBe('past_due');
    expect((await get(path)).paymentRetries.nextAttemptAt).not.toBeNull();
    await workspace.http.post(`${path}/payments`, { method: 'cash', amount: 20 }).expect(201);
    await settle(workspace);
    expect(await statusOf()).toBe('past_due');
    const { body: paid } = await workspace.http
      .post(`${path}/payments`, { method: 'cash', amount: 30 })
      .expect(201);
    expect(paid).toMatchObject({ status: 'paid', paymentRetries: { nextAttemptAt: null } });
    await settle(workspace);
    expect(await statusOf()).toBe('active');
    await reverse(path, paid.payments[1].id).expect(200);
    await settle(workspace);
    expect(await statusOf()).toBe('past_due');
    await advanceClock(workspace, '2026-02-20T00:00:00Z');
    const attempts = (await get(`${path}/payment-attempts`)).data as object[];
    expect(attempts).toMatchObject([{ status: 'failed', amount: 50 }]);
    expect(await get(path)).toMatchObject({ status: 'open', amountDue: 30 });
  });

  it('leaves a subscription past_due if it pays a part after a declined charge and one to be confirmed', async () => {
    const planId = await createPlan(workspace, fee('Platform', 50, { timing: 'in_advance' }));
    const { subscriptionId, customerId } = await subscribe(workspace, planId);
    const cards = `/v1/customers/${customerId}/payment-methods`;
    await workspace.http.post(cards, { type: 'test', test: 'pm_card_chargeDeclined' }).expect(201);
    await settle(workspace);
    const second = { type: 'test', test: 'pm_card_authenticationRequired' };
    const { body: card } = await workspace.http.post(cards, second).expect(201);
    await workspace.http.post(`${cards}/${card.id}/default`).expect(200);
    await settle(workspace);
    const { data } = await get(`/v1/invoices?customer_id=${customerId}`);
    const path = `/v1/invoices/${data[0].id}`;
    const attempts = (await get(`${path}/payment-attempts`)).data as { status: string }[];
    expect(attempts.map(({ status }) => status)).toEqual(['failed', 'requires_action']);
    await workspace.http.post(`${path}/payments`, { method: 'cash', amount: 1 }).expect(201);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ status: 'open', amountDue: 49 });
    expect((await get(`/v1/subscriptions/${subscriptionId}`)).status).toBe('past_due');
  });

  it('is on the page, the PDF and the data export', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const transfer = { method: 'bank_transfer', amount: 60, reference: 'E2E-1' };
    await workspace.http.post(`${path}/payments`, transfer).expect(201);
    const { url } = await get(`${path}/link`);
    const { text: page } = await workspace.http.get(new URL(url as string).pathname).expect(200);
    expect(page).toContain('Paid on 3 Feb 2026');
    expect(page).toContain('$40.00');
    await workspace.http.get(`${path}/pdf`).expect(200);
    const { body } = await workspace.session.get(`/v1/customers/${customerId}/data-export`).expect(200);
    expect(JSON.stringify(body)).toContain('"reference":"E2E-1"');
  });

  it('does not stop the erasure of the customer, which writes off the rest', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    await workspace.http.post(`${path}/payments`, { method: 'check', amount: 30 }).expect(201);
    const erase = async () => {
      const request = { reason: 'Ticket 4711', force: true };
      return (await workspace.http.post(`/v1/customers/${customerId}/erase`, request).expect(202)).body;
    };
    expect(await erase()).toMatchObject({ status: 'in_progress' });
    await untilErased(system, workspace, customerId);
    expect(await erase()).toMatchObject({ status: 'completed' });
    expect(await get(path)).toMatchObject({ status: 'uncollectible', amountPaid: 30, amountDue: 70 });
    expect(await ledgerBalances(workspace)).toEqual({ bad_debt: 70, cash: 30, revenue: -100 });
  });

  it('does not stop the erasure either if it paid a part of bought credits', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await buyCredits(customerId);
    await workspace.http.post(`${path}/payments`, { method: 'check', amount: 4 }).expect(201);
    const request = { reason: 'Ticket 4711', force: true };
    await workspace.http.post(`/v1/customers/${customerId}/erase`, request).expect(202);
    await untilErased(system, workspace, customerId);
    expect(await get(path)).toMatchObject({ status: 'uncollectible', amountPaid: 4, amountDue: 6 });
  });

  it('recovers bad debt, and its reversal leaves the invoice written off', async () => {
    const { path } = await invoiceOver('100.00', await customerWithCard(workspace, null));
    const { body: partly } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 30 })
      .expect(201);
    await refused(`${path}/void`, {}, 409, 'invoice_partly_paid');
    await workspace.http.post(`${path}/mark-uncollectible`).expect(200);
    expect(await ledgerBalances(workspace)).toEqual({ bad_debt: 70, cash: 30, revenue: -100 });
    const rest = { method: 'bank_transfer', amount: 70 };
    const { body: paid } = await workspace.http.post(`${path}/payments`, rest).expect(201);
    expect(paid).toMatchObject({ status: 'paid', amountPaid: 100 });
    expect(await ledgerBalances(workspace)).toEqual({ cash: 100, revenue: -100 });
    const { body: back } = await reverse(path, partly.payments[0].id).expect(200);
    expect(back).toMatchObject({ status: 'uncollectible', amountDue: 30, amountPaid: 70 });
    expect(await ledgerBalances(workspace)).toEqual({ bad_debt: 30, cash: 70, revenue: -100 });
  });
});

describe('the reversal of a payment', () => {
  it('opens the invoice again, and takes the excess back from the balance', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const { body: paid } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 130 })
      .expect(201);
    const paymentId = paid.payments[0].id as string;
    const { body } = await reverse(path, paymentId, 'Bounced').expect(200);
    expect(body).toMatchObject({ status: 'open', amountDue: 100, amountPaid: 0, paidAt: null });
    expect(body.payments).toMatchObject([
      { status: 'reversed', reversedAt: '2026-02-03T12:00:01.000Z', reversalReason: 'Bounced' },
    ]);
    expect(await balanceOf(customerId)).toBe(0);
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 100, revenue: -100 });
    expect((await reverse(path, paymentId).expect(409)).body.code).toBe('payment_reversed');
    expect((await reverse(path, 'rpay_none').expect(404)).body.code).toBe('payment_not_found');
    await workspace.http.delete(`${path}/payments/${paymentId}`).expect(400);
    await settle(workspace);
    const { body: trail } = await workspace.session.get('/v1/audit?limit=1000').expect(200);
    const actions = (trail.data as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining([
        'invoice.payment_recorded',
        'invoice.payment_reversed',
        'balance.excess_removed',
      ]),
    );
  });

  it('is refused while the balance does not hold the excess any more', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const { body } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 130 })
      .expect(201);
    await invoiceOver('20.00', customerId);
    const refusal = await reverse(path, body.payments[0].id).expect(409);
    expect(refusal.body).toMatchObject({ code: 'balance_used', error: expect.stringContaining('10.00 USD') });
    const given = { amount: 20, reason: 'Owed to us' };
    await workspace.http.post(`/v1/customers/${customerId}/balance`, given).expect(200);
    await reverse(path, body.payments[0].id).expect(200);
    expect(await balanceOf(customerId)).toBe(0);
  });

  it('is completed by the saga if the process stops after the balance gave the excess back', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path, invoiceId } = await invoiceOver('100.00', customerId);
    const { body } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 130 })
      .expect(201);
    failOnce('ReversePayment');
    await reverse(path, body.payments[0].id).expect(500);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ status: 'open', amountDue: 100 });
    expect(await balanceOf(customerId)).toBe(0);
    const events = await eventsOf(system, workspace.workspaceId, invoiceId);
    expect(events.filter((type) => type === 'RecordedPaymentReversed')).toHaveLength(1);
  });

  it('leaves bought credits usable, and a void of the block takes the rest off', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path, wallet, blockId } = await buyCredits(customerId);
    const { body: paid } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 10 })
      .expect(201);
    await settle(workspace);
    expect(await get(wallet)).toMatchObject({ balance: 1000 });
    await reverse(path, paid.payments[0].id).expect(200);
    await settle(workspace);
    expect(await get(wallet)).toMatchObject({ balance: 1000 });
    await refused(`${path}/void`, {}, 409, 'credits_not_voided');
    const voiding = { reason: 'Not paid', creditNote: true };
    await workspace.http.post(`${wallet}/blocks/${blockId}/void`, voiding).expect(200);
    await settle(workspace);
    expect(await get(path)).toMatchObject({
      status: 'paid',
      amountDue: 0,
      amountPaid: 0,
      amountCredited: 10,
    });
    expect(await ledgerBalances(workspace)).toEqual({});
  });

  it('races with an invoice that uses the balance, and one of them gets it', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const { body } = await workspace.http
      .post(`${path}/payments`, { method: 'check', amount: 130 })
      .expect(201);
    await workspace.http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
    const next = `/v1/invoices/${await createInvoice(system, workspace, customerId)}`;
    const gate = new Gate(2);
    beforeCommand(system.api, ['ApplyBalance', 'RemoveExcess'], () => gate.pass());
    const [reversal, opening] = await Promise.all([
      reverse(path, body.payments[0].id).then((answer) => answer),
      workspace.http.post(`${next}/approve`).then((answer) => answer),
    ]);
    await settle(workspace);
    expect(opening.status).toBe(200);
    const isReversed = reversal.status === 200;
    if (!isReversed) expect(reversal.body.code).toBe('balance_used');
    expect(await get(path)).toMatchObject({ status: isReversed ? 'open' : 'paid' });
    expect(await get(next)).toMatchObject({ balanceApplied: isReversed ? 0 : 20 });
    expect(await balanceOf(customerId)).toBe(isReversed ? 0 : 10);
  });
});

describe('payments at once', () => {
  it('do not overpay while a card is being charged', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path, invoiceId } = await invoiceOver('100.00', customerId);
    const card = { type: 'test', test: 'pm_card_visa' };
    await workspace.http.post(`/v1/customers/${customerId}/payment-methods`, card).expect(201);
    const releaseSaga = holdCommands(system.saga, 'CompletePayment');
    const [started, release] = hold('CompletePayment');
    const paying = workspace.http.post(`${path}/pay`).then((answer) => answer);
    await started;
    await refused(`${path}/payments`, { method: 'cash', amount: 100 }, 409, 'payment_in_progress');
    release();
    releaseSaga();
    expect((await paying).body).toMatchObject({ status: 'paid', amountPaid: 100 });
    await settle(workspace);
    const events = await eventsOf(system, workspace.workspaceId, invoiceId);
    expect(events.filter((type) => type === 'PaymentRecorded')).toEqual([]);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 100, revenue: -100 });
  });

  it('are recorded one after the other, and only one of two full ones', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const gate = new Gate(2);
    beforeCommand(system.api, 'RecordPayment', () => gate.pass());
    const pay = () => workspace.http.post(`${path}/payments`, { method: 'cash', amount: 100 }).then((a) => a);
    const answers = await Promise.all([pay(), pay()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)!.body.code).toBe('invoice_already_paid');
    expect(await ledgerBalances(workspace)).toEqual({ cash: 100, revenue: -100 });
    expect(await balanceOf(customerId)).toBe(0);
  });
});

describe('the balance of a customer', () => {
  // The balance pays here only what a request asks for.
  beforeEach(async () => {
    await workspace.http.put('/v1/billing-settings', { balancePaysOpenInvoices: false }).expect(200);
  });

  it('is given and taken, but not below zero', async () => {
    const customerId = await customerWithCard(workspace, null);
    const path = `/v1/customers/${customerId}/balance`;
    const goodwill = { amount: 25, reason: 'Goodwill' };
    const { body } = await workspace.http.post(path, goodwill).expect(200);
    expect(body).toEqual({ currency: 'USD', balance: 25 });
    expect(await ledgerBalances(workspace)).toEqual({ credit_adjustments: 25, customer_credit: -25 });
    const advance = { amount: 500, reason: 'Paid in advance', method: 'bank_transfer' };
    await workspace.http.post(path, advance).expect(200);
    await workspace.http.post(path, { ...advance, amount: -100, reason: 'Paid out' }).expect(200);
    expect(await ledgerBalances(workspace)).toEqual({
      cash: 400,
      credit_adjustments: 25,
      customer_credit: -425,
    });
    const { body: error } = await workspace.http.post(path, { amount: -425.01, reason: 'x' }).expect(409);
    expect(error).toMatchObject({ code: 'balance_too_low', error: expect.stringContaining('425.00 USD') });
    await workspace.http.post(path, { amount: 0, reason: 'x' }).expect(400);
    await workspace.http.post(path, { amount: 0.001, reason: 'x' }).expect(400);
    await workspace.http.post(path, { amount: 1 }).expect(400);
    await refused('/v1/customers/cust_none/balance', goodwill, 404, 'customer_not_found');
    const { data } = await get(`/v1/customers/${customerId}/balance-transactions`);
    expect(data.map((one: Record<string, unknown>) => [one['type'], one['amount'], one['balance']])).toEqual([
      ['adjusted', -100, 425],
      ['adjusted', 500, 525],
      ['adjusted', 25, 25],
    ]);
  });

  it('pays an open invoice, in part and then whole', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    await give(customerId, 70);
    const { body: partly } = await payFromBalance(path, 30).expect(201);
    expect(partly).toMatchObject({ status: 'open', amountDue: 70, amountPaid: 30, balanceApplied: 0 });
    expect(partly.payments).toMatchObject([{ method: 'balance', status: 'succeeded', amount: 30 }]);
    expect((await payFromBalance(path, 41).expect(409)).body.code).toBe('balance_too_low');
    await give(customerId, 60);
    const { body: paid } = await payFromBalance(path).expect(201);
    expect(paid).toMatchObject({ status: 'paid', amountDue: 0, amountPaid: 100 });
    expect(await balanceOf(customerId)).toBe(30);
    expect(await ledgerBalances(workspace)).toEqual({
      credit_adjustments: 130,
      customer_credit: -30,
      revenue: -100,
    });
    const { body: reopened } = await reverse(path, partly.payments[0].id).expect(200);
    expect(reopened).toMatchObject({ status: 'open', amountDue: 30, amountPaid: 70 });
    await settle(workspace);
    expect(await balanceOf(customerId)).toBe(60);
    expect(await ledgerBalances(workspace)).toEqual({
      accounts_receivable: 30,
      credit_adjustments: 130,
      customer_credit: -60,
      revenue: -100,
    });
    const { data } = await get(`/v1/customers/${customerId}/balance-transactions`);
    expect(data[0]).toMatchObject({ type: 'returned', amount: 30, paymentId: partly.payments[0].id });
  });

  it.each(['WithdrawBalance', 'CompleteBalancePayment'])(
    'pays once if the process stops before %s',
    async (step) => {
      const customerId = await customerWithCard(workspace, null);
      const { path, invoiceId } = await invoiceOver('100.00', customerId);
      await give(customerId, 100);
      const releaseSaga = holdCommands(system.saga, 'WithdrawBalance', 'CompleteBalancePayment');
      failOnce(step);
      await payFromBalance(path).expect(500);
      await refused(`${path}/payments`, { method: 'cash', amount: 100 }, 409, 'payment_in_progress');
      await refused(`${path}/void`, {}, 409, 'payment_in_progress');
      releaseSaga();
      await settle(workspace);
      expect(await get(path)).toMatchObject({ status: 'paid', amountPaid: 100 });
      expect(await balanceOf(customerId)).toBe(0);
      expect(await eventsOf(system, workspace.workspaceId, invoiceId)).toEqual([
        'InvoiceCreated',
        'InvoiceOpened',
        'BalancePaymentStarted',
        'PaymentRecorded',
        'InvoicePaid',
      ]);
    },
  );

  it('holds off the void of a credit note, which leaves the balance as it is', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    const transfer = { method: 'bank_transfer', amount: 100 };
    const { body: paid } = await workspace.http.post(`${path}/payments`, transfer).expect(201);
    const note = { reason: 'other', amount: 30, to: 'balance' };
    const { body: credited } = await workspace.http.post(`${path}/credit-note`, note).expect(201);
    await reverse(path, paid.payments[0].id).expect(200);
    await give(customerId, 20);
    const releaseSaga = holdCommands(system.saga, 'CompleteBalancePayment');
    failOnce('CompleteBalancePayment');
    await payFromBalance(path, 20).expect(500);
    await refused(`${path}/credit-notes/${credited.id}/void`, {}, 409, 'payment_in_progress');
    expect(await balanceOf(customerId)).toBe(30);
    releaseSaga();
    await settle(workspace);
    expect(await balanceOf(customerId)).toBe(30);
  });

  it('holds off a charge that is due meanwhile, which comes again', async () => {
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclined');
    const { path } = await invoiceOver('100.00', customerId);
    await give(customerId, 30);
    const releaseSaga = holdCommands(system.saga, 'WithdrawBalance');
    const [withdrawing, letWithdraw] = hold('WithdrawBalance');
    const paying = payFromBalance(path).then((answer) => answer);
    await withdrawing;
    // A new default card charges declined invoices at once.
    const refusal = refusedCharge();
    const card = { type: 'test', test: 'pm_card_visa' };
    const { body } = await workspace.http
      .post(`/v1/customers/${customerId}/payment-methods`, card)
      .expect(201);
    await workspace.http.post(`/v1/customers/${customerId}/payment-methods/${body.id}/default`).expect(200);
    expect(await refusal).toMatchObject({ code: 'payment_in_progress' });
    letWithdraw();
    releaseSaga();
    expect((await paying).status).toBe(201);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ status: 'paid', amountPaid: 100 });
    expect((await get(`${path}/payment-attempts`)).data).toMatchObject([
      { status: 'failed', amount: 100 },
      { status: 'succeeded', amount: 70 },
    ]);
  });

  it('gets its amount back if another process found it empty and ended the payment first', async () => {
    const customerId = await customerWithCard(workspace, null);
    const { path } = await invoiceOver('100.00', customerId);
    await give(customerId, 100);
    // Both are about to take the amount. The API finds too little and ends the payment. Then the saga finds enough.
    const [sagaWithdraws, letSagaWithdraw] = hold('WithdrawBalance', system.saga);
    const [apiWithdraws, letApiWithdraw] = hold('WithdrawBalance');
    const paying = payFromBalance(path).then((answer) => answer);
    await Promise.all([sagaWithdraws, apiWithdraws]);
    await workspace.http
      .post(`/v1/customers/${customerId}/balance`, { amount: -50, reason: 'Taken meanwhile' })
      .expect(200);
    letApiWithdraw();
    const answer = await paying;
    expect(answer.status).toBe(409);
    expect(answer.body.code).toBe('balance_too_low');
    await give(customerId, 50);
    letSagaWithdraw();
    await settle(workspace);
    expect(await get(path)).toMatchObject({ status: 'open', amountDue: 100, payments: [] });
    const { data } = await get(`/v1/customers/${customerId}/balance-transactions`);
    expect(data.slice(0, 2)).toMatchObject([
      { type: 'returned', amount: 100, balance: 100 },
      { type: 'applied', amount: -100, balance: 0 },
    ]);
    expect(await ledgerBalances(workspace)).toEqual({
      accounts_receivable: 100,
      credit_adjustments: 100,
      customer_credit: -100,
      revenue: -100,
    });
  });

  it('pays only one of two invoices that need all of it', async () => {
    const customerId = await customerWithCard(workspace, null);
    const one = await invoiceOver('100.00', customerId);
    const other = await invoiceOver('100.00', customerId);
    await give(customerId, 100);
    const gate = new Gate(2);
    beforeCommand(system.api, 'WithdrawBalance', () => gate.pass());
    const pay = ({ path }: { path: string }) => payFromBalance(path).set('Idempotency-Key', path);
    // The saga completes a payment that was begun. If it is quicker, one request is refused at its beginning, and must not be waited for.
    const answered = async (invoice: { path: string }) => {
      const { status } = await pay(invoice);
      await gate.pass();
      return status;
    };
    const answers = await Promise.all([one, other].map(answered));
    await settle(workspace);
    expect(answers.toSorted()).toEqual([201, 409]);
    const statuses = [await get(one.path), await get(other.path)].map(({ status }) => status as string);
    expect(statuses.toSorted()).toEqual(['open', 'paid']);
    expect(await balanceOf(customerId)).toBe(0);
    // The refused request can be sent again with its key.
    await give(customerId, 100);
    const { body: paid } = await pay(statuses[0] === 'open' ? one : other).expect(201);
    expect(paid).toMatchObject({ status: 'paid', payments: [{ status: 'succeeded', amount: 100 }] });
    expect(await balanceOf(customerId)).toBe(0);
  });
});

describe('ledger verify', () => {
  it('finds nothing after all of these payments', async () => {
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

describeOfNode('of a changed log, ledger verify', () => {
  it('finds a payment whose excess is not what the balance got', async () => {
    const { path } = await invoiceOver('100.00', await customerWithCard(workspace, null));
    const { body } = await workspace.http
      .post(`${path}/payments`, { method: 'cash', amount: 107.5 })
      .expect(201);
    await settle(workspace);
    const pool = createPool(system.database);
    try {
      const { rowCount } = await pool.query(
        `UPDATE eventstore.events SET data = convert_to(replace(convert_from(data, 'UTF8'), '7.50', '6.50'), 'UTF8')
         WHERE type = 'PaymentRecorded' AND position(convert_to('"toBalance":"7.50"', 'UTF8') IN data) > 0`,
      );
      expect(rowCount).toBe(1);
    } finally {
      await pool.end();
    }
    const { found } = await verificationOf(system);
    expect(found).toContainEqual(
      expect.stringContaining(
        `payment ${body.payments[0].id} adds "6.50" to the balance, but the balance changed by "7.50" for it`,
      ),
    );
  });
});

/** An open invoice over this amount. Its saga tasks are done. */
async function invoiceOver(total: string, customerId: string): Promise<{ invoiceId: string; path: string }> {
  const lines = [lineOf({ amount: total })];
  const invoiceId = await createInvoice(system, workspace, customerId, { lines, total });
  await settle(workspace);
  return { invoiceId, path: `/v1/invoices/${invoiceId}` };
}

/** Credits for 10 USD whose invoice is sent. The paths are those of the invoice and of the wallet. */
async function buyCredits(customerId: string): Promise<{ path: string; wallet: string; blockId: string }> {
  const type = { type: 'ai', name: 'AI credits', unitPrice: 0.01, currency: 'USD' };
  await workspace.http.post('/v1/credit-types', type).expect(201);
  const wallet = `/v1/customers/${customerId}/wallets/ai`;
  const purchase = { credits: 1000, collection: 'send_invoice' };
  const { body: bought } = await workspace.http.post(`${wallet}/purchases`, purchase).expect(201);
  return { path: `/v1/invoices/${bought.invoice.id}`, wallet, blockId: bought.id };
}

async function refused(path: string, body: object, status: number, code: string): Promise<void> {
  const { body: error } = await workspace.http.post(path, body).expect(status);
  expect(error.code).toBe(code);
}

function reverse(path: string, paymentId: string, reason = 'A mistake') {
  return workspace.http.delete(`${path}/payments/${paymentId}`, { reason });
}

function payFromBalance(path: string, amount?: number) {
  return workspace.http.post(`${path}/payments`, { method: 'balance', amount });
}

async function give(customerId: string, amount: number): Promise<void> {
  const body = { amount, reason: 'Goodwill' };
  await workspace.http.post(`/v1/customers/${customerId}/balance`, body).expect(200);
}

async function balanceOf(customerId: string): Promise<number> {
  const { data } = await get(`/v1/customers/${customerId}/balances`);
  return (data as { balance: number }[])[0]?.balance ?? 0;
}

/** Fails the next command of this type in the API, as if its process stopped before the command. */
function failOnce(type: string): void {
  let failed = false;
  beforeCommand(system.api, type, async () => {
    if (failed) return;
    failed = true;
    throw new Error(`${type} is not run, because the process stops here`);
  });
}

/** The error of the next automatic charge that the saga makes. */
async function refusedCharge(): Promise<unknown> {
  const payments = system.saga.get(InvoicePayments, { strict: false });
  const charge = payments.awaitChargeUnlessInProgress.bind(payments);
  return new Promise((resolve) => {
    jest.spyOn(payments, 'awaitChargeUnlessInProgress').mockImplementation(async (...args) => {
      await charge(...args).catch((error: unknown) => {
        resolve(error);
        throw error;
      });
    });
  });
}

/** Holds commands of this type in a process: a promise of the first arrival, and a function that lets them go on. */
function hold(type: string, app: INestApplicationContext = system.api): [Promise<void>, () => void] {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  beforeCommand(app, type, async () => {
    arrived.resolve();
    await released.promise;
  });
  return [arrived.promise, released.resolve];
}
