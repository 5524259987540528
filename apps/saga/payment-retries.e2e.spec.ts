import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { PaymentGateways } from '#libs/contexts/payments';
import { customerWithCard } from '../../test/support/invoicing.js';
import { startSystem, type Client, type System, type TestWorkspace } from '../../test/support/index.js';
import { advanceClock } from '../../test/support/plans.js';

/*
 * Retries of failed payments over HTTP, in a sandbox whose clock stands at 1 March 2026, 09:00 UTC. Each invoice is over 20.00. The first
 * charge is made on request, so that its time is known. All other charges are made automatically.
 */

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
afterEach(() => {
  jest.restoreAllMocks();
});

const firstFailure = '2026-03-01T09:00:00.000Z';

async function workspaceWith(settings: object = {}): Promise<TestWorkspace> {
  const workspace = await system.workspace();
  const { http } = workspace;
  await http.put('/v1/sandbox/clock', { now: firstFailure }).expect(200);
  await http.put('/v1/billing-settings', { autoApprove: false }).expect(200);
  await http.put('/v1/payment-retry/settings', settings).expect(200);
  return workspace;
}

/** Creates an invoice and charges it once, without success. */
async function declinedInvoice(http: Client, customerId: string): Promise<string> {
  const lines = [{ description: 'Work', unitPrice: 20 }];
  const { body } = await http.post('/v1/invoices', { customerId, lines }).expect(201);
  await http.post(`/v1/invoices/${body.id}/pay`).expect(409);
  return body.id as string;
}

/** Subscribes a customer to a fee of 20.00 in advance. Its invoices are opened and charged automatically. */
async function subscribe(http: Client, customerId: string, cadence: 'monthly' | 'annual'): Promise<string> {
  await http.put('/v1/billing-settings', { autoApprove: true }).expect(200);
  const config = { model: 'flat', amount: 20, currency: 'USD' };
  const fee = { name: 'Fee', config, cadence, timing: 'in_advance' };
  const { body: price } = await http.post('/v1/prices', fee).expect(201);
  const { body: plan } = await http.post('/v1/plans', { name: 'Plan', prices: [price.id] }).expect(201);
  const { body } = await http.post('/v1/subscriptions', { customerId, planId: plan.id }).expect(201);
  return body.id as string;
}

const addCard = (http: Client, customerId: string, test: string) =>
  http.post(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test }).expect(201);
const advance = (http: Client, to: string) => advanceClock({ http }, to);
const invoiceOf = async (http: Client, invoiceId: string) =>
  (await http.get(`/v1/invoices/${invoiceId}`).expect(200)).body;
/** Each attempt: its time, the number of the retry, and its result. */
const attemptsOf = async (http: Client, invoiceId: string): Promise<unknown[][]> => {
  const { body } = await http.get(`/v1/invoices/${invoiceId}/payment-attempts`).expect(200);
  const attempts = body.data as { createdAt: string; retry: number; status: string; failureCode: string }[];
  return attempts.map(({ createdAt, retry, status, failureCode }) => [
    createdAt,
    retry,
    failureCode ?? status,
  ]);
};

describe('a card that always declines', () => {
  it('is charged after 1, 3, 5 and 7 days, and then no more', async () => {
    const { http } = await workspaceWith({ whenExhausted: 'mark_uncollectible' });
    const invoiceId = await declinedInvoice(
      http,
      await customerWithCard({ http } as TestWorkspace, 'pm_card_chargeDeclined'),
    );
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      status: 'open',
      paymentRetries: { made: 0, nextAttemptAt: '2026-03-02T09:00:00.000Z', ended: null, gaveUp: false },
    });
    await advance(http, '2026-06-01T00:00:00.000Z');
    expect(await attemptsOf(http, invoiceId)).toEqual([
      [firstFailure, null, 'card_declined'],
      ['2026-03-02T09:00:00.000Z', 1, 'card_declined'],
      ['2026-03-05T09:00:00.000Z', 2, 'card_declined'],
      ['2026-03-10T09:00:00.000Z', 3, 'card_declined'],
      ['2026-03-17T09:00:00.000Z', 4, 'card_declined'],
    ]);
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      status: 'uncollectible',
      paymentRetries: { made: 4, nextAttemptAt: null, ended: 'exhausted', gaveUp: true },
    });
  });

  it('is summed up by state and currency', async () => {
    const workspace = await workspaceWith({ intervalsDays: [2], whenExhausted: 'leave_open' });
    const { http } = workspace;
    const declining = () => customerWithCard(workspace, 'pm_card_chargeDeclined');
    await declinedInvoice(http, await declining());
    await advance(http, '2026-03-10T09:00:00.000Z');
    await declinedInvoice(http, await declining());
    await declinedInvoice(http, await declining());
    await declinedInvoice(http, await customerWithCard(workspace, 'pm_card_chargeDeclinedStolenCard'));
    const { body } = await http.get('/v1/payment-retry/summary').expect(200);
    const nextAttemptAt = '2026-03-12T09:00:00.000Z';
    expect(body).toEqual({
      nextAttemptAt,
      totals: [
        { state: 'exhausted', currency: 'USD', invoices: 1, amount: 20, nextAttemptAt: null },
        { state: 'scheduled', currency: 'USD', invoices: 2, amount: 40, nextAttemptAt },
        { state: 'waiting', currency: 'USD', invoices: 1, amount: 20, nextAttemptAt: null },
      ],
    });
  });
});

describe('a card that declines twice', () => {
  it('pays at the second retry, and the subscription is past due until then', async () => {
    const workspace = await workspaceWith();
    const { http } = workspace;
    const customerId = await customerWithCard(workspace, 'pm_card_declineThenSucceed', { declines: 2 });
    const subscriptionId = await subscribe(http, customerId, 'annual');
    const statusAt = async (to: string) => {
      await advance(http, to);
      return (await http.get(`/v1/subscriptions/${subscriptionId}`).expect(200)).body.status;
    };
    expect(await statusAt('2026-03-01T10:00:00.000Z')).toBe('past_due');
    expect(await statusAt('2026-03-04T00:00:00.000Z')).toBe('past_due');
    expect(await statusAt('2026-03-06T00:00:00.000Z')).toBe('active');
    const { body: list } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect(list.data).toMatchObject([{ status: 'paid', paymentRetries: { made: 2, nextAttemptAt: null } }]);
    const { body: summary } = await http.get('/v1/payment-retry/summary').expect(200);
    expect(summary.totals).toMatchObject([{ state: 'recovered', invoices: 1, amount: 20 }]);
  });
});

describe('a stolen card', () => {
  it('is not charged again; a new default card is charged at once', async () => {
    const workspace = await workspaceWith();
    const { http } = workspace;
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclinedStolenCard');
    const invoiceId = await declinedInvoice(http, customerId);
    await advance(http, '2026-03-08T09:00:00.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      status: 'open',
      // The last retry would have been made then: 1 + 3 + 5 + 7 days after the first failure.
      paymentRetries: { nextAttemptAt: null, ended: 'final_decline', givesUpAt: '2026-03-17T09:00:00.000Z' },
    });
    const { body: card } = await addCard(http, customerId, 'pm_card_visa');
    await http.post(`/v1/customers/${customerId}/payment-methods/${card.id}/default`).expect(200);
    await advance(http, '2026-03-08T09:00:01.000Z');
    expect(await attemptsOf(http, invoiceId)).toEqual([
      [firstFailure, null, 'stolen_card'],
      [expect.stringMatching(/^2026-03-08T09:00:0[01]/), null, 'succeeded'],
    ]);
    // The end of the retries finds the invoice paid.
    await advance(http, '2026-04-01T00:00:00.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      status: 'paid',
      paymentRetries: { gaveUp: false },
    });
  });

  it('ends the subscription when the time for a new card is over, if the settings say so', async () => {
    const workspace = await workspaceWith({ intervalsDays: [1, 1], subscription: 'cancel' });
    const { http } = workspace;
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclinedStolenCard');
    const subscriptionId = await subscribe(http, customerId, 'monthly');
    await advance(http, '2026-03-03T00:00:00.000Z');
    expect((await http.get(`/v1/subscriptions/${subscriptionId}`)).body).toMatchObject({
      status: 'past_due',
    });
    await advance(http, '2026-03-03T12:00:00.000Z');
    expect((await http.get(`/v1/subscriptions/${subscriptionId}`)).body).toMatchObject({
      status: 'canceled',
      canceledAt: expect.stringMatching(/^2026-03-03T09:00/),
    });
    const { body: list } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect(list.data).toMatchObject([{ status: 'open', paymentRetries: { gaveUp: true } }]);
  });
});

describe('a payment that needs a confirmation', () => {
  it('is made with a new default card at once', async () => {
    const workspace = await workspaceWith({ subscription: 'cancel' });
    const { http } = workspace;
    const customerId = await customerWithCard(workspace, 'pm_card_authenticationRequired');
    const invoiceId = await declinedInvoice(http, customerId);
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      paymentRetries: { ended: 'action_required', givesUpAt: '2026-03-17T09:00:00.000Z' },
    });
    const { body: card } = await addCard(http, customerId, 'pm_card_visa');
    await http.post(`/v1/customers/${customerId}/payment-methods/${card.id}/default`).expect(200);
    await advance(http, '2026-03-01T10:00:00.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({ status: 'paid' });
  });
});

describe('an invoice that was written off', () => {
  it('is not retried, though a retry was planned', async () => {
    const workspace = await workspaceWith();
    const { http } = workspace;
    const invoiceId = await declinedInvoice(
      http,
      await customerWithCard(workspace, 'pm_card_declineThenSucceed', { declines: 1 }),
    );
    await http.post(`/v1/invoices/${invoiceId}/mark-uncollectible`).expect(200);
    await advance(http, '2026-04-01T00:00:00.000Z');
    expect(await attemptsOf(http, invoiceId)).toHaveLength(1);
    expect(await invoiceOf(http, invoiceId)).toMatchObject({ status: 'uncollectible' });
  });
});

describe('a card that was removed', () => {
  it('lets the retries end, and the invoice is charged when there is a card again', async () => {
    const workspace = await workspaceWith({ intervalsDays: [1, 1] });
    const { http } = workspace;
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclined');
    const invoiceId = await declinedInvoice(http, customerId);
    const { body: methods } = await http.get(`/v1/customers/${customerId}/payment-methods`).expect(200);
    await http.delete(`/v1/customers/${customerId}/payment-methods/${methods.data[0].id}`).expect(204);
    await advance(http, '2026-03-02T12:00:00.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      // From the retry that was due on 2 March, two days are left.
      paymentRetries: {
        made: 0,
        ended: 'no_payment_method',
        givesUpAt: '2026-03-04T09:00:00.000Z',
        gaveUp: false,
      },
    });
    await advance(http, '2026-03-05T00:00:00.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({
      status: 'open',
      paymentRetries: { gaveUp: true },
    });
    await addCard(http, customerId, 'pm_card_visa');
    await advance(http, '2026-03-05T00:00:01.000Z');
    expect(await invoiceOf(http, invoiceId)).toMatchObject({ status: 'paid' });
  });
});

describe('a payment gateway that was disconnected', () => {
  it('lets a retry that is due wait until a gateway is connected again', async () => {
    const workspace = await workspaceWith();
    const { http, workspaceId } = workspace;
    const invoiceId = await declinedInvoice(
      http,
      await customerWithCard(workspace, 'pm_card_chargeDeclined'),
    );
    const pool = system.api.get(Pool, { strict: false });
    // A live workspace without Stripe has no gateway. By its clock the retry is due. No clock of a sandbox is ever released, so the tasks
    // that wait by the old clock are moved by hand.
    for (const sql of [
      `UPDATE workspaces.clocks SET mode = 'live', frozen_at = NULL WHERE workspace_id = $1`,
      `UPDATE saga.tasks SET status = status WHERE workspace_id = $1 AND status = 'pending'`,
    ])
      await pool.query(sql, [workspaceId]);
    const retry = `SELECT last_error AS error FROM saga.tasks WHERE workspace_id = $1 AND name = 'retry-payment'`;
    const nextAttemptAt = '2026-03-02T09:00:00.000Z';
    for (;;) {
      const { paymentRetries } = await invoiceOf(http, invoiceId);
      expect(paymentRetries).toMatchObject({ made: 0, nextAttemptAt, ended: null });
      const { rows } = await pool.query<{ error: string | null }>(retry, [workspaceId]);
      if (rows[0]?.error) break;
    }
    const gateways = system.saga.get(PaymentGateways, { strict: false });
    const { workspaceId: sandbox } = await system.workspace();
    jest.spyOn(gateways, 'find').mockResolvedValue(await gateways.find(sandbox));
    let { paymentRetries } = await invoiceOf(http, invoiceId);
    while (paymentRetries.made === 0) ({ paymentRetries } = await invoiceOf(http, invoiceId));
    expect(paymentRetries).toMatchObject({ made: 1, ended: null });
  });
});

describe('the retry settings', () => {
  it('have defaults, and keep what a change does not name', async () => {
    const { http } = await system.workspace();
    const defaults = {
      enabled: true,
      intervalsDays: [1, 3, 5, 7],
      localHour: null,
      whenExhausted: 'leave_open',
      subscription: 'none',
    };
    expect((await http.get('/v1/payment-retry/settings').expect(200)).body).toEqual(defaults);
    const { body } = await http.put('/v1/payment-retry/settings', { localHour: 9 }).expect(200);
    expect(body).toEqual({ ...defaults, localHour: 9 });
  });

  it('apply to later failures, and keep the time of a planned retry', async () => {
    const workspace = await workspaceWith({ intervalsDays: [1, 1] });
    const { http } = workspace;
    const invoiceId = await declinedInvoice(
      http,
      await customerWithCard(workspace, 'pm_card_chargeDeclined'),
    );
    await http.put('/v1/payment-retry/settings', { intervalsDays: [10, 4], localHour: 18 }).expect(200);
    await advance(http, '2026-04-01T00:00:00.000Z');
    expect((await attemptsOf(http, invoiceId)).map(([at]) => at)).toEqual([
      firstFailure,
      '2026-03-02T09:00:00.000Z',
      '2026-03-06T18:00:00.000Z',
    ]);
  });

  it('can turn retries off', async () => {
    const workspace = await workspaceWith({ enabled: false });
    const { http } = workspace;
    const invoiceId = await declinedInvoice(
      http,
      await customerWithCard(workspace, 'pm_card_chargeDeclined'),
    );
    await advance(http, '2026-04-01T00:00:00.000Z');
    expect(await attemptsOf(http, invoiceId)).toHaveLength(1);
    expect(await invoiceOf(http, invoiceId)).toMatchObject({ status: 'open', paymentRetries: null });
  });

  it.each([
    [{ intervalsDays: [] }, 'intervalsDays'],
    [{ intervalsDays: [1, 0] }, 'intervalsDays'],
    [{ intervalsDays: 3 }, 'intervalsDays'],
    [{ localHour: 24 }, 'localHour'],
    [{ whenExhausted: 'void' }, 'whenExhausted'],
    [{ subscription: 'delete' }, 'subscription'],
  ])('refuse %j and name the field', async (change, field) => {
    const { http } = await system.workspace();
    const { body } = await http.put('/v1/payment-retry/settings', change).expect(400);
    expect(body.details).toMatchObject([{ field }]);
  });
});
