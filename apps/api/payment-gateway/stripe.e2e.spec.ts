import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { InvoicePayments } from '#libs/contexts/collection';
import { TextCipher } from '#libs/kernel/system';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { createInvoice, eventsOf, untilEvent } from '../../../test/support/invoicing.js';
import { startApp } from '../../../test/support/app-process.js';
import { holdCommands } from '../../../test/support/before-command.js';
import { launchBrowser, newPage } from '../../../test/support/browser.js';
import { createPlan, fee } from '../../../test/support/plans.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import { until as untilAnswer } from '../../../test/support/until.js';
import { untilRead } from '../../../test/support/until-read.js';
import {
  machineSeconds,
  signedWebhook,
  STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET,
  StripeServer,
  type CardName,
  type Intent,
  type Webhook,
} from '../../../test/support/stripe-server/index.js';
import {
  clientOf,
  ledgerBalances,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

const GATEWAY = '/v1/payment-gateway';
const KEYS = {
  provider: 'stripe',
  secretKey: STRIPE_KEY,
  webhookSecret: STRIPE_WEBHOOK_SECRET,
  returnHosts: ['shop.example.com'],
};
const RETURN_URL = 'https://shop.example.com/account?tab=cards';
const PAID = ['InvoiceCreated', 'InvoiceOpened', 'PaymentStarted', 'PaymentSucceeded', 'InvoicePaid'];
const KILLS = 10;

let stripe: StripeServer;
let system: System;
let workspace: TestWorkspace;
let http: Client;
let browser: Client;

beforeAll(async () => {
  stripe = await StripeServer.start();
  system = await startSystem({ STRIPE_API_URL: stripe.url });
  browser = clientOf(system.url);
});
afterAll(async () => {
  await system?.stop();
  await stripe?.stop();
});
beforeEach(async () => {
  workspace = await liveWorkspace();
  http = workspace.http;
  await http.put(GATEWAY, KEYS).expect(200);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A live workspace. The tests of going live make one as users do. */
async function liveWorkspace(): Promise<TestWorkspace> {
  const made = await system.workspace();
  await system.api
    .get(Pool, { strict: false })
    .query(`UPDATE workspaces.clocks SET mode = 'live' WHERE workspace_id = $1`, [made.workspaceId]);
  return made;
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

/** Puts a card of a customer on file, as the customer does: on Stripe's page, and back. Returns the id of the payment method. */
async function saveCard(customerId: string, card: CardName): Promise<string> {
  const body = { type: 'card', returnUrl: RETURN_URL };
  const { body: page } = await http.post(`/v1/customers/${customerId}/payment-methods`, body).expect(201);
  const session = (page.url as string).split('/').at(-1)!;
  stripe.ledger.completeSession(session, card);
  const { headers } = await browser.get(pathOf(stripe.ledger.sessions.get(session)!.success_url)).expect(303);
  expect(headers['location']).toBe(`${RETURN_URL}&card=saved`);
  return page.paymentMethodId as string;
}

async function customerWith(card: CardName): Promise<string> {
  const { body } = await http.post('/v1/customers', { name: 'Northwind Ltd' }).expect(201);
  await saveCard(body.id as string, card);
  return body.id as string;
}

/** The id at Stripe of a customer of the workspace. */
function stripeCustomerOf(customerId: string): string {
  return [...stripe.ledger.customers.values()].find(
    ({ metadata: { workspace: of, customer } }) => of === workspace.workspaceId && customer === customerId,
  )!.id;
}

/** Waits until the saga has such a task of the workspace, and all of them are done. */
async function untilTasksDone(name: string): Promise<void> {
  const tasks = `SELECT bool_and(status = 'done') AS done FROM saga.tasks WHERE workspace_id = $1 AND name = $2`;
  await untilAnswer(
    () =>
      system.api
        .get(Pool, { strict: false })
        .query<{ done: boolean | null }>(tasks, [workspace.workspaceId, name]),
    ({ rows }) => rows[0]!.done === true,
  );
}

/** Waits until the newest invoice of a list is paid, and returns its id. */
async function untilPaid(list: string): Promise<string> {
  const { data } = (await untilAnswer(
    () => get(list),
    (answer) => (answer['data'] as { status: string }[])[0]?.status === 'paid',
  )) as { data: { id: string }[] };
  return data[0]!.id;
}

/** An open invoice over 20.00 USD of a customer without a card, its link, and the path of its page. */
async function invoiceWithoutCard(): Promise<{ id: string; link: string; path: string }> {
  const { body: customer } = await http.post('/v1/customers', { name: 'Northwind Ltd' }).expect(201);
  const id = await createInvoice(system, workspace, customer.id as string);
  await until(id, 'InvoiceOpened');
  const { body } = await http.get(`/v1/invoices/${id}/link`).expect(200);
  const link = body.url as string;
  return { id, link, path: pathOf(link) };
}

/** Enters a card on Stripe's page, to which the hosted page leads. Returns the id of Stripe's session. */
async function enterCardByLink(path: string, card: CardName): Promise<string> {
  const form = browser.post(`${path}/card`).type('form').send({ amount: '20.00' });
  const { headers } = await form.expect(303);
  const session = headers['location']!.split('/').at(-1)!;
  stripe.ledger.completeSession(session, card);
  return session;
}

/** Follows the customer back from Stripe's page. Returns the address to which the customer is sent. */
async function comeBack(session: string): Promise<string> {
  const { headers } = await browser.get(pathOf(stripe.ledger.sessions.get(session)!.success_url)).expect(303);
  return headers['location']!;
}

const shownAt = async (path: string) => (await browser.get(path).expect(200)).text;

/** An open invoice over 20.00 USD. The saga charges it. */
async function openInvoice(card: CardName): Promise<string> {
  const id = await createInvoice(system, workspace, await customerWith(card));
  return id;
}

const until = (id: string, ...types: Parameters<typeof untilEvent>[3][]) =>
  untilEvent(system, workspace.workspaceId, id, ...types);
const events = (id: string) => eventsOf(system, workspace.workspaceId, id);
const get = async (path: string) => (await http.get(path).expect(200)).body as Record<string, unknown>;
const intentOf = (invoiceId: string): Intent =>
  [...stripe.ledger.intents.values()].findLast(({ metadata }) => metadata['invoice'] === invoiceId)!;

function receive({ body, signature }: Webhook, workspaceId = workspace.workspaceId) {
  return browser
    .post(`/v1/gateways/stripe/events?workspace=${workspaceId}`)
    .type('application/json')
    .set('Stripe-Signature', signature)
    .send(body);
}

/** The webhooks of what happened during `work`, in order. None of them was sent. */
async function webhooksOf(work: () => unknown): Promise<Webhook[]> {
  const from = stripe.ledger.happenings.length;
  await work();
  return stripe.webhooks(from);
}

describe('the payment gateway of a workspace', () => {
  it('is shown without its secrets, and recorded in the audit trail', async () => {
    expect(await get(GATEWAY)).toEqual({
      provider: 'stripe',
      accountId: 'acct_loopback',
      mode: 'test',
      secretKeyLast4: '0001',
      checkedAt: expect.any(String),
      keyRefusedAt: null,
      webhookSecretSet: true,
      waitingRequests: 0,
      nextAttemptAt: null,
      returnHosts: ['shop.example.com'],
      webhookUrl: `http://127.0.0.1:3000/v1/gateways/stripe/events?workspace=${workspace.workspaceId}`,
    });
    const { body } = await workspace.session.get(`/v1/audit?resourceId=${workspace.workspaceId}`).expect(200);
    const entries = body.data as { action: string }[];
    expect(entries.filter(({ action }) => action === 'payment_gateway.connected')).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain(STRIPE_KEY);
    const { rows } = await system.api
      .get(Pool, { strict: false })
      .query<{ all: string }>(
        'SELECT string_agg(to_jsonb(c)::text, chr(10)) AS all FROM payments.gateway_connections c',
      );
    expect(rows[0]!.all).not.toMatch(/sk_test|whsec/);
  });

  it('is refused with a wrong key, in a sandbox, and without a key', async () => {
    const wrong = await http.put(GATEWAY, { ...KEYS, secretKey: 'sk_test_wrong00000000' }).expect(400);
    expect(wrong.body).toMatchObject({ code: 'validation_failed', details: [{ field: 'secretKey' }] });
    expect(JSON.stringify(wrong.body)).not.toContain('wrong0000');
    for (const [keys, message] of [
      [{ secretKey: 'sk_test_short' }, 'followed by 8 to 240 letters and digits'],
      [{ webhookSecret: 'whsec_short' }, 'followed by 8 to 240 characters'],
    ] as const) {
      const { body } = await http.put(GATEWAY, { ...KEYS, ...keys }).expect(400);
      expect(body.details).toEqual([
        { field: Object.keys(keys)[0], message: expect.stringContaining(message) },
      ]);
    }
    const { http: sandbox } = await system.workspace();
    expect((await sandbox.put(GATEWAY, KEYS).expect(409)).body.code).toBe('live_only');
    expect((await sandbox.get(GATEWAY).expect(200)).body).toMatchObject({
      provider: null,
      webhookSecretSet: false,
    });
    const { http: other } = await liveWorkspace();
    const { body } = await other.put(GATEWAY, { provider: 'stripe' }).expect(400);
    expect(body.details).toMatchObject([{ field: 'secretKey' }]);
    const card = { type: 'card', returnUrl: RETURN_URL };
    const { body: customer } = await other.post('/v1/customers', { name: 'N' }).expect(201);
    const refused = await other.post(`/v1/customers/${customer.id}/payment-methods`, card).expect(409);
    expect(refused.body.code).toBe('no_payment_gateway');
  });

  it('keeps a key that is left out, and is disconnected', async () => {
    await http.put(GATEWAY, { provider: 'stripe', webhookSecret: 'whsec_another0000001' }).expect(200);
    const { body } = await receive(stripe.webhookOf({ type: 'product.created', object: {} })).expect(400);
    expect(body.code).toBe('invalid_signature');
    await http.delete(GATEWAY).expect(204);
    expect((await http.get(GATEWAY).expect(200)).body).toMatchObject({
      provider: null,
      secretKeyLast4: null,
    });
    await http.delete(GATEWAY).expect(404);
    await receive(stripe.webhookOf({ type: 'product.created', object: {} })).expect(404);
  });

  it('is needed for a credit note that would refund a card, which is refused without it', async () => {
    const id = await openInvoice('visa');
    await until(id, 'InvoicePaid');
    await http.delete(GATEWAY).expect(204);
    const note = { reason: 'order_change', amount: 1 };
    for (const request of [note, { ...note, to: 'refund' }]) {
      const { body } = await http.post(`/v1/invoices/${id}/credit-note`, request).expect(409);
      expect(body.code).toBe('no_payment_gateway');
    }
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ amountCredited: 0 });
    await http.post(`/v1/invoices/${id}/credit-note`, { ...note, to: 'balance' }).expect(201);
  });

  it('whose keys cannot be read any more can be connected again, or disconnected', async () => {
    const other = new TextCipher(
      ['another secret of the tests, long enough'],
      'countinghouse payment gateway keys',
    );
    const replaceSecret = () =>
      system.api
        .get(Pool, { strict: false })
        .query(
          'UPDATE payments.gateway_connections SET secret_key = $2, webhook_secret = $2 WHERE workspace_id = $1',
          [workspace.workspaceId, other.encrypt('unreadable')],
        );
    await replaceSecret();
    expect((await http.get(GATEWAY).expect(503)).body.code).toBe('payment_gateway_unreadable');
    const webhookOnly = { provider: 'stripe', webhookSecret: STRIPE_WEBHOOK_SECRET };
    expect((await http.put(GATEWAY, webhookOnly).expect(503)).body.code).toBe('payment_gateway_unreadable');
    const { body } = await http.put(GATEWAY, { provider: 'stripe', secretKey: STRIPE_KEY }).expect(200);
    expect(body).toMatchObject({ secretKeyLast4: '0001', webhookSecretSet: false });
    await http.put(GATEWAY, webhookOnly).expect(200);
    await receive(stripe.webhookOf({ type: 'product.created', object: {} })).expect(200);

    await replaceSecret();
    await http.delete(GATEWAY).expect(204);
    await http.delete(GATEWAY).expect(404);
  });

  it('stays connected while the result of a charge is unknown', async () => {
    const chargeCount = () => stripe.requests.filter((one) => one === 'POST /v1/payment_intents').length;
    const before = chargeCount();
    stripe.plan(/^POST \/v1\/payment_intents$/, 500);
    const id = await openInvoice('visa');
    await until(id, 'PaymentStarted');
    // Stripe must have the failed charge first. If its key were forgotten before, the failure would be repeated for ever.
    for (;;) {
      const { rowCount } = await system.api
        .get(Pool, { strict: false })
        .query('SELECT FROM payments.stripe_charges WHERE invoice_id = $1', [id]);
      if (rowCount === 1 && chargeCount() > before) break;
    }
    expect((await http.delete(GATEWAY).expect(409)).body.code).toBe('charges_pending');
    // Stripe repeats its error, so the charge is attempted again until the idempotency key is forgotten.
    let connected = await get(GATEWAY);
    while (Number(connected['waitingRequests']) === 0) connected = await get(GATEWAY);
    expect(connected).toMatchObject({
      waitingRequests: expect.any(Number),
      nextAttemptAt: expect.any(String),
    });
    stripe.forgetIdempotencyKeys();
    await until(id, 'PaymentSucceeded');
    expect(await events(id)).toEqual(PAID);
    while (Number(connected['waitingRequests']) > 0) connected = await get(GATEWAY);
    expect(connected['nextAttemptAt']).toBeNull();
    await http.delete(GATEWAY).expect(204);
  });

  it('stays connected while the result of a confirmed charge is unknown', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    stripe.ledger.answerBank(intentOf(id).id, true);
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async () => {
      held.resolve();
      await released.promise;
    };
    // The first request finds no page of the bank to show. The next ones, of the API and of the saga, ask for the result.
    stripe.plan(/^GET \/v1\/payment_intents/, { hold: async () => undefined });
    for (let i = 0; i < 2; i++) stripe.plan(/^GET \/v1\/payment_intents/, { hold });
    const confirming = browser
      .post(`${page}/confirm`)
      .type('form')
      .send('')
      .then((answer) => answer);
    await held.promise;
    const { status, body } = await http.delete(GATEWAY);
    released.resolve();
    expect([status, body.code]).toEqual([409, 'charges_pending']);
    expect((await confirming).status).toBe(303);
    // The saga can have recorded the charge first, and then completes the payment by itself.
    await until(id, 'InvoicePaid');
    await untilRead(system);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid' });
    await http.delete(GATEWAY).expect(204);
  });
});

describe('a card', () => {
  it('is entered on the page of Stripe, and put on file once by the webhook or the return', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const methods = `/v1/customers/${customer.id}/payment-methods`;
    let sessionId = '';
    const webhooks = await webhooksOf(async () => {
      const { body: page } = await http.post(methods, { type: 'card', returnUrl: RETURN_URL }).expect(201);
      sessionId = (page.url as string).split('/').at(-1)!;
      const back = pathOf(stripe.ledger.sessions.get(sessionId)!.success_url);
      const { headers } = await browser.get(back).expect(303);
      expect(headers['location']).toBe(`${RETURN_URL}&card=not_saved`);
      stripe.ledger.completeSession(sessionId, 'visa');
    });
    for (const webhook of [...webhooks, ...webhooks]) await receive(webhook).expect(200);
    await browser.get(pathOf(stripe.ledger.sessions.get(sessionId)!.success_url)).expect(303);
    const { body } = await http.get(methods).expect(200);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^pm_/),
        type: 'card',
        label: 'Visa •••• 4242',
        expiryMonth: 12,
        expiryYear: 2034,
        default: true,
      },
    ]);
  });

  it('is entered from the hosted page, and pays its invoice once, by the return or the webhook', async () => {
    for (const comesBack of [true, false]) {
      const { id, link, path } = await invoiceWithoutCard();
      const { text, headers: page } = await browser.get(path).expect(200);
      expect(text).toContain('You enter the card on a secure page');
      expect(page['content-security-policy']).toContain("form-action 'self' https:");
      let session = '';
      const webhooks = await webhooksOf(async () => {
        session = await enterCardByLink(path, 'visa');
      });
      if (comesBack) {
        expect(await comeBack(session)).toBe(`${link}?shown=20.00&card=saved`);
        expect(await shownAt(path)).toContain('with Visa ending 4242');
      }
      for (const webhook of [...webhooks, ...webhooks]) await receive(webhook).expect(200);
      await until(id, 'InvoicePaid');
      await untilTasksDone('pay-with-added-method');
      expect(await events(id)).toEqual(PAID);
    }
  });

  it('that is entered from the hosted page is not charged if the invoice is void, paid or smaller meanwhile', async () => {
    const [voided, paid, smaller] = [
      await invoiceWithoutCard(),
      await invoiceWithoutCard(),
      await invoiceWithoutCard(),
    ];
    const sessions: string[] = [];
    for (const { path } of [voided, paid, smaller]) sessions.push(await enterCardByLink(path, 'visa'));
    await http.post(`/v1/invoices/${voided.id}/void`).expect(200);
    const transfer = { amount: 20, method: 'bank_transfer' };
    await http.post(`/v1/invoices/${paid.id}/payments`, transfer).expect(201);
    await http.post(`/v1/invoices/${smaller.id}/credit-note`, { amount: 5, reason: 'other' }).expect(201);
    const texts: string[] = [];
    for (const session of sessions) texts.push(await shownAt(pathOf(await comeBack(session))));
    expect(texts[0]).toContain('There is nothing to pay.');
    expect(texts[1]).toContain('Paid on');
    expect(texts[2]).toContain('The amount of this invoice has changed, so nothing was charged.');
    expect(texts[2]).toContain('<button>Pay $15.00</button>');
    await untilTasksDone('pay-with-added-method');
    for (const { id } of [voided, paid, smaller]) expect(await events(id)).not.toContain('PaymentStarted');
  });

  it('that is entered from the hosted page leads back to it while Stripe gives no answer, and pays later', async () => {
    const { id, path } = await invoiceWithoutCard();
    const session = await enterCardByLink(path, 'visa');
    // The API and the saga charge with the same idempotency key, so both get this answer until Stripe forgets the key.
    stripe.plan(/^POST \/v1\/payment_intents$/, 500);
    expect(await shownAt(pathOf(await comeBack(session)))).toContain('being processed');
    stripe.forgetIdempotencyKeys();
    await until(id, 'InvoicePaid');
    expect(await events(id)).toEqual(PAID);
  });

  it('can be entered by the customer in the portal', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const portal = await workspace.portalOf(customer.id as string);
    const { body: page } = await portal
      .post('/v1/portal/payment-methods', { type: 'card', returnUrl: RETURN_URL })
      .expect(201);
    stripe.ledger.completeSession((page.url as string).split('/').at(-1)!, 'visa');
    for (const webhook of stripe.webhooks(stripe.ledger.happenings.length - 1))
      await receive(webhook).expect(200);
    const { body } = await portal.get('/v1/portal/payment-methods').expect(200);
    expect(body.data).toMatchObject([{ id: page.paymentMethodId, label: 'Visa •••• 4242', type: 'card' }]);
  });

  it('is answered with 503 while Stripe fails, and the request can be repeated', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const methods = `/v1/customers/${customer.id}/payment-methods`;
    const newPage = /^POST \/v1\/checkout\/sessions$/;
    stripe.planTwice(newPage, 'cut');
    const { body } = await http.post(methods, { type: 'card', returnUrl: RETURN_URL }).expect(503);
    expect(body).toMatchObject({
      code: 'payment_gateway_unavailable',
      error: expect.stringMatching(
        /^Stripe gave no usable answer \(\w+\); no card was saved, repeat the request/,
      ),
    });
    await http.post(methods, { type: 'card', returnUrl: RETURN_URL }).expect(201);
  });

  it('returns by https to a host that the workspace lists', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const start = (returnUrl: string) =>
      http.post(`/v1/customers/${customer.id}/payment-methods`, { type: 'card', returnUrl });
    for (const returnUrl of [
      'http://shop.example.com/account',
      'https://evil.example/account',
      'https://shop.example.com.evil.example/account',
      'https://shop.example.com:8443/account',
    ]) {
      const { body } = await start(returnUrl).expect(400);
      expect(body).toMatchObject({ code: 'return_url_not_allowed', details: [{ field: 'returnUrl' }] });
      expect(body.error).toContain('PUT /v1/payment-gateway');
    }
    await http.put(GATEWAY, { provider: 'stripe', returnHosts: ['other.example'] }).expect(200);
    await start(RETURN_URL).expect(400);
    await start('https://other.example/cards').expect(201);
    for (const returnHosts of [['https://a.example'], ['A.example'], ['a.example:443'], 'a.example']) {
      const { body } = await http.put(GATEWAY, { provider: 'stripe', returnHosts }).expect(400);
      expect(body.details[0].field).toBe('returnHosts');
    }
  });

  it('needs an address to return to, and is not for a sandbox', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const methods = `/v1/customers/${customer.id}/payment-methods`;
    for (const [body, field] of [
      [{ type: 'card' }, 'returnUrl'],
      [{ type: 'card', returnUrl: 'javascript:alert(1)' }, 'returnUrl'],
      [{ type: 'card', returnUrl: 'https://me:pw@x.example' }, 'returnUrl'],
      [{ type: 'card', returnUrl: RETURN_URL, test: 'pm_card_visa' }, 'test'],
      [{ type: 'test', test: 'pm_card_visa', returnUrl: RETURN_URL }, 'returnUrl'],
    ] as const)
      expect((await http.post(methods, body).expect(400)).body).toMatchObject({ details: [{ field }] });
    const sandbox = await system.workspace();
    const { body: other } = await sandbox.http.post('/v1/customers', { name: 'N' }).expect(201);
    const path = `/v1/customers/${other.id}/payment-methods`;
    const { body } = await sandbox.http.post(path, { type: 'card', returnUrl: RETURN_URL }).expect(409);
    expect(body.code).toBe('live_only');
  });
});

describe('a card that is removed', () => {
  it('is detached at Stripe once, although Stripe fails and the answer is lost, and does not come back', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'N' }).expect(201);
    const customerId = customer.id as string;
    const card = await saveCard(customerId, 'visa');
    const methods = `/v1/customers/${customerId}/payment-methods`;
    const atStripe = stripeCustomerOf(customerId);
    const detach = /^POST \/v1\/payment_methods\/[^/]+\/detach$/;
    stripe.plan(detach, 500);
    stripe.planTwice(detach, 'cut');
    const from = stripe.ledger.happenings.length;
    await http.delete(`${methods}/${card}`).expect(204);
    await untilTasksDone('detach-card');
    expect(stripe.ledger.cardsOf(atStripe)).toEqual([]);
    expect(stripe.ledger.happenings.slice(from).map(({ type }) => type)).toEqual(['payment_method.detached']);
    // The customer opens the page of return again, and Stripe repeats the webhook.
    const session = [...stripe.ledger.sessions.values()].findLast(({ customer }) => customer === atStripe)!;
    const { headers } = await browser.get(pathOf(session.success_url)).expect(303);
    expect(headers['location']).toBe(`${RETURN_URL}&card=not_saved`);
    await receive(stripe.webhookOf({ type: 'checkout.session.completed', object: session })).expect(200);
    expect((await get(methods))['data']).toEqual([]);
  });

  it('counts as detached if Stripe does not know it, and one that stays is still charged', async () => {
    const customerId = await customerWith('visa');
    const gone = await saveCard(customerId, 'visa');
    const methods = `/v1/customers/${customerId}/payment-methods`;
    stripe.ledger.forgetCard(stripe.ledger.cardsOf(stripeCustomerOf(customerId))[1]!);
    await http.delete(`${methods}/${gone}`).expect(204);
    await untilTasksDone('detach-card');
    expect(stripe.ledger.cardsOf(stripeCustomerOf(customerId))).toHaveLength(1);
    await until(await createInvoice(system, workspace, customerId), 'InvoicePaid');
  });
});

describe('a customer that is erased', () => {
  it('is deleted at Stripe too, also if Stripe gives no answer at first', async () => {
    const customerId = await customerWith('visa');
    const known = stripeCustomerOf(customerId);
    stripe.planTwice(/^DELETE \/v1\/customers/, 'drop');
    await http.post(`/v1/customers/${customerId}/erase`, { reason: 'Ticket 4711' }).expect(202);
    const left = `SELECT (SELECT count(*) FROM payments.stripe_customers WHERE customer_id = $1 AND workspace_id = $2)
                       + (SELECT count(*) FROM payments.card_setups WHERE customer_id = $1 AND workspace_id = $2) AS left`;
    await untilAnswer(
      () =>
        system.api
          .get(Pool, { strict: false })
          .query<{ left: string }>(left, [customerId, workspace.workspaceId]),
      ({ rows }) => rows[0]!.left === '0' && !stripe.ledger.customers.has(known),
    );
  });
});

describe('an invoice', () => {
  it('of a subscription is charged once', async () => {
    const planId = await createPlan(workspace, fee('Platform', 49, { timing: 'in_advance' }));
    const customerId = await customerWith('visa');
    const { subscriptionId } = await subscribeExisting(planId, customerId);
    const id = await untilPaid(`/v1/invoices?subscription_id=${subscriptionId}`);
    expect(await events(id)).toEqual(PAID);
    expect(intentOf(id)).toMatchObject({ amount: 4_900, status: 'succeeded' });
  });

  it('is charged once although the connection is cut after the charge, and although webhooks come twice and in any order', async () => {
    stripe.planTwice(/^POST \/v1\/payment_intents$/, 'cut');
    let id = '';
    const webhooks = await webhooksOf(async () => {
      id = await openInvoice('visa');
      await until(id, 'PaymentSucceeded');
    });
    for (const webhook of [...webhooks, ...webhooks.reverse()]) await receive(webhook).expect(200);
    expect(await events(id)).toEqual(PAID);
    expect(
      [...stripe.ledger.intents.values()].filter(({ metadata }) => metadata['invoice'] === id),
    ).toHaveLength(1);
  });

  it('that is declined shows the code of the bank, and no retry is planned for a stolen card', async () => {
    const id = await openInvoice('stolen');
    await until(id, 'PaymentFailed');
    await untilShown(id, ({ paymentRetries }) => paymentRetries !== null);
    const { body } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(body.data).toMatchObject([
      { status: 'failed', failureCode: 'stolen_card', paymentMethod: 'Visa •••• 9979' },
    ]);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ paymentRetries: { ended: 'final_decline' } });

    // The customer tries it once more, and Stripe fails.
    const { body: link } = await http.get(`/v1/invoices/${id}/link`).expect(200);
    const page = pathOf(link.url as string);
    stripe.plan(/^POST \/v1\/payment_intents$/, 500);
    await browser.post(`${page}/pay`).type('form').send('').expect(303);
    expect((await browser.get(page).expect(200)).text).toContain('Your payment is being processed');
    stripe.forgetIdempotencyKeys();
    await untilAnswer(
      () => events(id),
      (types) => types.filter((type) => type === 'PaymentFailed').length === 2,
    );
    expect((await browser.get(page).expect(200)).text).toContain(
      'The payment with Visa ending 9979 did not go through: The card was declined.',
    );
  });

  it('is paid when the customer confirms the payment on the page of the bank', async () => {
    const { id, page } = await waitingInvoice();
    const { headers } = await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    const intent = intentOf(id);
    expect(headers['location']).toBe(`${stripe.url}/bank/${intent.id}`);
    const { headers: shown } = await browser.get(page).expect(200);
    expect(shown['content-security-policy']).toContain("form-action 'self' https:");
    stripe.ledger.answerBank(intent.id, true);
    const back = pathOf(`http://127.0.0.1:3000${page}/confirmed`);
    await browser.get(`${back}?payment_intent=${intent.id}&redirect_status=succeeded`).expect(303);
    await browser.get(back).expect(303);
    expect(await events(id)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentActionRequired',
      'PaymentConfirmed',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
    for (const webhook of stripe.webhooks(stripe.ledger.happenings.length - 2))
      await receive(webhook).expect(200);
    expect(await events(id)).toHaveLength(7);
  });

  it('is paid by the webhook if the customer does not come back, and fails if the bank says no', async () => {
    const paid = await waitingInvoice();
    const failed = await waitingInvoice();
    const webhooks = await webhooksOf(async () => {
      for (const { page } of [paid, failed])
        await browser.post(`${page}/confirm`).type('form').send('').expect(303);
      stripe.ledger.answerBank(intentOf(paid.id).id, true);
      stripe.ledger.answerBank(intentOf(failed.id).id, false);
    });
    for (const webhook of webhooks.reverse()) await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${paid.id}`)).toMatchObject({ status: 'paid' });
    expect((await events(failed.id)).slice(-2)).toEqual(['PaymentConfirmed', 'PaymentFailed']);
  });

  it('that was voided meanwhile gives a late confirmation back', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    answerBeforeCancellation();
    await http.post(`/v1/invoices/${id}/void`).expect(200);
    const webhooks = await webhooksOf(() => stripe.ledger.answerBank(intentOf(id).id, true));
    for (const webhook of [...webhooks, ...webhooks]) await receive(webhook).expect(200);
    const refunds = [...stripe.ledger.refunds.values()].filter(
      (one) => one.payment_intent === intentOf(id).id,
    );
    expect(refunds).toMatchObject([{ amount: 2_000 }]);
    expect(await events(id)).not.toContain('PaymentSucceeded');
    // The bank cannot pay it out. The invoice shows that the seller still has the money.
    const failures = await webhooksOf(() => stripe.ledger.failRefund(refunds[0]!.id));
    for (const webhook of [...failures, ...failures]) await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      status: 'void',
      gatewayRefunds: [{ amount: 20, status: 'failed', failure: expect.stringContaining('expired') }],
    });
  });

  it('that was voided meanwhile gives a late confirmation back later, if Stripe fails and sends the webhook only once', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    answerBeforeCancellation();
    await http.post(`/v1/invoices/${id}/void`).expect(200);
    const [webhook] = await webhooksOf(() => stripe.ledger.answerBank(intentOf(id).id, true));
    stripe.planTwice(/^POST \/v1\/refunds/, 'drop');
    await receive(webhook!).expect(503);
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toEqual([]);
    const pool = system.api.get(Pool, { strict: false });
    await pool.query(`UPDATE saga.tasks SET due_at = now() WHERE name = 'refund-unwanted-charge'`);
    await pool.query(`SELECT pg_notify('saga_tasks', '')`);
    await untilTasksDone('refund-unwanted-charge');
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toMatchObject([{ amount: 2_000 }]);
    await receive(webhook!).expect(200);
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toHaveLength(1);
  });

  it('that was voided meanwhile shows no refund in the dashboard and no dispute of the late confirmation', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    answerBeforeCancellation();
    await http.post(`/v1/invoices/${id}/void`).expect(200);
    const webhooks = await webhooksOf(() => {
      const { id: intent } = intentOf(id);
      stripe.ledger.answerBank(intent, true);
      stripe.ledger.refundInDashboard(intent, 700);
      stripe.ledger.closeDispute(stripe.ledger.openDispute(intent).id, 'lost');
    });
    for (const webhook of webhooks.reverse()) await receive(webhook).expect(200);
    expect((await events(id)).at(-1)).toBe('InvoiceVoided');
  });

  it('that is being paid from the balance keeps a late confirmation until that payment has ended', async () => {
    // Otherwise the saga would pay the invoice from the balance too.
    await http.put('/v1/billing-settings', { balancePaysOpenInvoices: false }).expect(200);
    const { id, page } = await waitingInvoice();
    const { customerId } = await get(`/v1/invoices/${id}`);
    const give = (amount: number) =>
      http.post(`/v1/customers/${String(customerId)}/balance`, { amount, reason: 'Goodwill' }).expect(200);
    await give(20);
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    const webhooks = await webhooksOf(() => stripe.ledger.answerBank(intentOf(id).id, true));
    const releases = [system.api, system.saga].map((app) => holdCommands(app, 'WithdrawBalance'));
    const paying = http.post(`/v1/invoices/${id}/payments`, { method: 'balance' }).then((answer) => answer);
    await until(id, 'BalancePaymentStarted');
    const { body } = await receive(webhooks.at(-1)!).expect(409);
    expect(body.code).toBe('payment_in_progress');
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toEqual([]);
    // The balance turns out to be too low, so the charge is needed.
    await give(-20);
    for (const release of releases) release();
    expect((await paying).body.code).toBe('balance_too_low');
    await receive(webhooks.at(-1)!).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', amountPaid: 20 });
  });

  it('that a webhook pays while the customer comes back keeps the charge', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    const webhooks = await webhooksOf(() => stripe.ledger.answerBank(intentOf(id).id, true));
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    stripe.plan(/^GET \/v1\/payment_intents/, {
      hold: async () => {
        held.resolve();
        await released.promise;
      },
    });
    const back = browser.get(pathOf(`http://127.0.0.1:3000${page}/confirmed`)).then((answer) => answer);
    await held.promise;
    for (const webhook of webhooks) await receive(webhook).expect(200);
    released.resolve();
    expect((await back).status).toBe(303);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid' });
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toEqual([]);
  });

  it('can be voided after a confirmation that found Stripe disconnected', async () => {
    const { id, page } = await waitingInvoice();
    await http.delete(GATEWAY).expect(204);
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    expect((await events(id)).at(-1)).toBe('PaymentActionRequired');
    await http.post(`/v1/invoices/${id}/void`).expect(200);
  });

  it('that was paid otherwise is never paid by the late confirmation, whose charge was refunded', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    const path = `/v1/invoices/${id}/payments`;
    const { body: paid } = await http.post(path, { method: 'check', amount: 20 }).expect(201);
    const webhooks = await webhooksOf(() => stripe.ledger.answerBank(intentOf(id).id, true));
    const afterRefund = await webhooksOf(async () => {
      for (const webhook of webhooks) await receive(webhook).expect(200);
      stripe.ledger.openDispute(intentOf(id).id);
    });
    expect(stripe.ledger.refundsOf(intentOf(id).id)).toHaveLength(1);
    await http.delete(`${path}/${paid.payments[0].id}`, { reason: 'Bounced' }).expect(200);
    for (const webhook of afterRefund) await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'open', amountPaid: 0, amountDue: 20 });
  });

  it('shows a refund in the dashboard whose webhook comes before that of the payment', async () => {
    const { id, page } = await waitingInvoice();
    await browser.post(`${page}/confirm`).type('form').send('').expect(303);
    const webhooks = await webhooksOf(() => {
      stripe.ledger.answerBank(intentOf(id).id, true);
      stripe.ledger.refundInDashboard(intentOf(id).id, 700);
    });
    for (const webhook of webhooks.reverse()) await receive(webhook).expect(200);
    expect((await events(id)).slice(-4)).toEqual([
      'PaymentConfirmed',
      'PaymentSucceeded',
      'InvoicePaid',
      'GatewayRefundFound',
    ]);
  });
});

describe('in a browser', () => {
  /** The browsers of customers see the product and Stripe at these addresses. The content security policy only lets forms lead to https. */
  const PRODUCT = 'http://127.0.0.1:3000';
  const STRIPE_PAGES = 'https://pages.stripe.example';
  let chromium: Browser;
  let page: Page;

  beforeAll(async () => {
    chromium = await launchBrowser();
    page = await newPage(chromium);
    await page.setRequestInterception(true);
    page.on('request', (request) => void answer(request));
    stripe.pagesUrl = STRIPE_PAGES;
  });
  afterAll(async () => {
    stripe.pagesUrl = undefined;
    await chromium?.close();
  });

  /** Sends the browser's requests to the servers of this test. */
  async function answer(request: HTTPRequest): Promise<void> {
    const { origin, pathname, search } = new URL(request.url());
    if (origin === new URL(RETURN_URL).origin) return request.respond({ status: 200, body: 'The shop' });
    const server = { [PRODUCT]: system.url, [STRIPE_PAGES]: stripe.url }[origin];
    if (server === undefined) return request.abort();
    const [method, body] = [request.method(), request.postData()];
    const headers = { 'content-type': request.headers()['content-type'] ?? 'text/plain' };
    const response = await fetch(`${server}${pathname}${search}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    await request.respond({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }

  const press = async (selector: string) =>
    Promise.all([page.waitForNavigation(), page.locator(selector).click()]);
  const texts = async () =>
    page.$$eval('[role=status], form button', (all) => all.map((one) => one.textContent));

  it('a customer saves a card, confirms a payment at the bank, and refuses another one', async () => {
    const { body: customer } = await http.post('/v1/customers', { name: 'Northwind Ltd' }).expect(201);
    const methods = `/v1/customers/${customer.id}/payment-methods`;
    const { body: setup } = await http.post(methods, { type: 'card', returnUrl: RETURN_URL }).expect(201);
    await page.goto(setup.url as string);
    await page.select('select', 'authenticates');
    await press('button');
    expect(page.url()).toBe(`${RETURN_URL}&card=saved`);

    for (const [reply, status] of [
      ['confirm', 'paid'],
      ['refuse', 'open'],
    ] as const) {
      const id = await createInvoice(system, workspace, customer.id as string);
      await until(id, 'PaymentActionRequired');
      const { body: link } = await http.get(`/v1/invoices/${id}/link`).expect(200);
      await page.goto(link.url as string);
      expect(await texts()).toEqual([
        expect.stringContaining('confirm'),
        'Confirm payment of $20.00',
        'Pay $20.00 with another card',
      ]);
      await press('form button');
      expect(page.url()).toBe(`${STRIPE_PAGES}/bank/${intentOf(id).id}`);
      await press(`button[value=${reply}]`);
      expect(page.url()).toBe(link.url);
      expect(await texts()).toEqual(
        status === 'paid'
          ? [expect.stringContaining('Paid')]
          : [
              expect.stringContaining('The payment was not confirmed at the bank.'),
              'Pay $20.00',
              'Pay $20.00 with another card',
            ],
      );
      await untilShown(id, (invoice) => invoice['status'] === status);
    }
    // The customer pays with the same card. The bank asks again, and the customer agrees.
    await press('form button');
    await press('form button');
    await press('button[value=confirm]');
    expect(await texts()).toEqual([expect.stringContaining('Paid')]);
  });

  it('a customer without a card enters one on the page of the invoice, and another one after a decline', async () => {
    const { id, link } = await invoiceWithoutCard();
    await page.goto(link);
    expect(await texts()).toEqual(['Pay $20.00 by card']);
    for (const [card, after] of [
      ['declined', ['did not go through', 'Pay $20.00 with another card', 'Try this card again']],
      ['visa', ['with Visa ending 4242']],
    ] as const) {
      await press(`form[action$="/card"] button`);
      expect(page.url()).toMatch(new RegExp(`^${STRIPE_PAGES}/checkout/`));
      await page.select('select', card);
      await press('button');
      expect(page.url()).toBe(`${link}?shown=20.00&card=saved`);
      expect(await texts()).toEqual(after.map((text) => expect.stringContaining(text)));
    }
    await untilShown(id, ({ status }) => status === 'paid');
  });
});

describe('a payment', () => {
  async function paidInvoice(): Promise<string> {
    const id = await openInvoice('visa');
    await untilShown(id, ({ status }) => status === 'paid');
    return id;
  }

  it('is refunded in part, once, although the answer is lost', async () => {
    const id = await paidInvoice();
    stripe.planTwice(/^POST \/v1\/refunds$/, 'cut');
    const note = { amount: 5, reason: 'service_issue', to: 'refund' };
    await http.post(`/v1/invoices/${id}/credit-note`, note).expect(503);
    await until(id, 'CreditNoteRefunded');
    const refunds = [...stripe.ledger.refunds.values()].filter(
      (one) => one.payment_intent === intentOf(id).id,
    );
    expect(refunds).toMatchObject([{ amount: 500 }]);
    // Its own webhook is not taken for a refund of somebody else.
    for (const webhook of stripe.webhooks(stripe.ledger.happenings.length - 1))
      await receive(webhook).expect(200);
    expect(await events(id)).not.toContain('GatewayRefundFound');

    // Then the bank cannot pay it out. The webhooks come twice and in the wrong order.
    await untilBalances({ cash: 15 });
    const failures = await webhooksOf(() => stripe.ledger.failRefund(refunds[0]!.id));
    for (const webhook of [...failures, ...failures.reverse()]) await receive(webhook).expect(200);
    expect((await events(id)).filter((type) => type === 'CreditNoteRefundFailed')).toHaveLength(1);
    const notes = await get(`/v1/invoices/${id}/credit-notes`);
    const [failed] = notes['data'] as { id: string }[];
    expect(failed).toMatchObject({
      status: 'issued',
      refundStatus: 'failed',
      refundRefusal: 'Stripe could not complete the refund: expired_or_canceled_card',
    });
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 20, accounts_receivable: -5 });
    const { body: audit } = await workspace.session.get(`/v1/audit?resourceId=${failed!.id}`).expect(200);
    expect((audit.data as { action: string }[]).map(({ action }) => action)).toContain(
      'credit_note.refund_failed',
    );
    await http.post(`/v1/invoices/${id}/credit-notes/${failed!.id}/void`).expect(200);
    await http.post(`/v1/invoices/${id}/credit-note`, { ...note, to: 'balance' }).expect(201);
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 20, customer_credit: -5 });
    expect((await ledgerBalances(workspace))['accounts_receivable'] ?? 0).toBe(0);
  });

  it('of an erased customer whose refund Stripe refuses for good ends with a clear state', async () => {
    const id = await paidInvoice();
    const { customerId } = (await get(`/v1/invoices/${id}`)) as { customerId: string };
    const atStripe = stripeCustomerOf(customerId);
    await http.post(`/v1/customers/${customerId}/erase`, { reason: 'Ticket 4712' }).expect(202);
    await untilAnswer(
      () => get(GATEWAY),
      () => !stripe.ledger.customers.has(atStripe),
    );
    stripe.ledger.intents.delete(intentOf(id).id);
    const note = { amount: 5, reason: 'service_issue', to: 'refund' };
    const { body } = await http.post(`/v1/invoices/${id}/credit-note`, note).expect(201);
    expect(body).toMatchObject({
      refundStatus: 'refused',
      refundRefusal: expect.stringContaining('No such payment_intent'),
    });
    await untilTasksDone('complete-credit-note');
    expect((await events(id)).filter((type) => type === 'CreditNoteRefundRefused')).toHaveLength(1);
    await http.post(`/v1/invoices/${id}/credit-notes/${body.id}/void`).expect(200);
  });

  it('that is disputed, and given back by an end with a refund before the webhook comes, goes to the balance', async () => {
    const planId = await createPlan(workspace, fee('Platform', 49, { timing: 'in_advance' }));
    const customerId = await customerWith('visa');
    const { subscriptionId } = await subscribeExisting(planId, customerId);
    const list = `/v1/invoices?subscription_id=${subscriptionId}`;
    const id = await untilPaid(list);
    const webhooks = await webhooksOf(() => stripe.ledger.openDispute(intentOf(id).id));
    const end = { immediately: true, credit: 'refund' };
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, end).expect(200);
    await until(id, 'PaymentRefundRefused');
    await untilTasksDone('complete-refund');
    await untilTasksDone('credit-refused-refund');
    const transactions = `/v1/customers/${customerId}/balance-transactions`;
    const changes = async () => (await get(transactions))['data'] as unknown[];
    await untilAnswer(changes, ({ length }) => length > 0);
    const { refunds } = (await get(`/v1/invoices/${id}`)) as { refunds: Record<string, unknown>[] };
    expect(refunds).toEqual([
      {
        byInvoiceId: expect.stringMatching(/^inv_/),
        amount: expect.any(Number),
        status: 'refused',
        refusal: expect.stringContaining('has been charged back'),
        refundedAtProcessor: 0,
      },
    ]);
    const [{ byInvoiceId, amount }] = refunds as [{ byInvoiceId: string; amount: number }];
    expect(await get(`/v1/invoices/${byInvoiceId}`)).toMatchObject({ balanceCredited: amount, refunds: [] });
    expect(await changes()).toMatchObject([
      { type: 'credited', amount, balance: amount, invoiceId: byInvoiceId },
    ]);
    await untilBalances({ cash: 49, customer_credit: -amount, accounts_receivable: 0 });
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(id) || problem.includes(byInvoiceId))).toEqual([]);
    for (const webhook of webhooks) await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({ refunds, disputes: [{ closedAt: null }] });
  });

  it('whose refund at an end fails after it was accepted goes to the balance, once', async () => {
    const planId = await createPlan(workspace, fee('Platform', 49, { timing: 'in_advance' }));
    const customerId = await customerWith('visa');
    const { subscriptionId } = await subscribeExisting(planId, customerId);
    const list = `/v1/invoices?subscription_id=${subscriptionId}`;
    const id = await untilPaid(list);
    const end = { immediately: true, credit: 'refund' };
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, end).expect(200);
    await until(id, 'PaymentRefunded');
    const [refund] = stripe.ledger.refundsOf(intentOf(id).id);
    const failures = await webhooksOf(() => stripe.ledger.failRefund(refund!.id, 'lost_or_stolen_card'));
    for (const webhook of [...failures.reverse(), ...failures]) await receive(webhook).expect(200);
    await untilTasksDone('credit-refused-refund');
    const { refunds } = (await get(`/v1/invoices/${id}`)) as { refunds: Record<string, unknown>[] };
    const refusal = 'Stripe could not complete the refund: lost_or_stolen_card';
    expect(refunds).toMatchObject([{ amount: refund!.amount / 100, status: 'failed', refusal }]);
    const { byInvoiceId, amount } = refunds[0] as { byInvoiceId: string; amount: number };
    await untilBalances({ cash: 49, customer_credit: -amount, accounts_receivable: 0 });
    const transactions = `/v1/customers/${customerId}/balance-transactions`;
    expect((await get(transactions))['data']).toMatchObject([
      { type: 'credited', amount, balance: amount, invoiceId: byInvoiceId },
    ]);
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(id) || problem.includes(byInvoiceId))).toEqual([]);
  });

  it('that is refunded in the dashboard shows it once, and once that it failed', async () => {
    const id = await paidInvoice();
    const webhooks = await webhooksOf(() => stripe.ledger.refundInDashboard(intentOf(id).id, 700));
    for (const webhook of [...webhooks, ...webhooks, ...stripe.webhooks(stripe.ledger.happenings.length - 1)])
      await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      status: 'paid',
      gatewayRefunds: [{ id: expect.stringMatching(/^re_/), amount: 7 }],
    });
    await untilBalances({ cash: 13, refunds: 7 });
    const [refund] = stripe.ledger.refundsOf(intentOf(id).id);
    const failures = await webhooksOf(() => stripe.ledger.failRefund(refund!.id));
    for (const webhook of [...failures, ...webhooks, ...failures]) await receive(webhook).expect(200);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      gatewayRefunds: [{ id: refund!.id, amount: 7, status: 'failed' }],
    });
    expect((await events(id)).slice(-2)).toEqual(['GatewayRefundFound', 'GatewayRefundFailed']);
    await untilBalances({ cash: 20, refunds: 0 });
  });

  it('that is refunded in the dashboard is not given back again, neither by a credit note nor at the end', async () => {
    const id = await paidInvoice();
    for (const webhook of await webhooksOf(() => stripe.ledger.refundInDashboard(intentOf(id).id, 700)))
      await receive(webhook).expect(200);
    const path = `/v1/invoices/${id}/credit-note`;
    const { body: refusal } = await http
      .post(path, { reason: 'other', amount: 13.01, to: 'balance' })
      .expect(400);
    expect(refusal).toMatchObject({ code: 'credit_exceeds_invoice' });
    expect(refusal.error).toContain('7.00 USD went back at the payment processor');
    const { body: note } = await http.post(path, { reason: 'other' }).expect(201);
    expect(note).toMatchObject({ total: 13, refundAmount: 13 });
    const planId = await createPlan(workspace, fee('Cover', 365, { timing: 'in_advance' }));
    const customerId = await customerWith('visa');
    const { subscriptionId } = await subscribeExisting(planId, customerId);
    const list = `/v1/invoices?subscription_id=${subscriptionId}`;
    const yearly = await untilPaid(list);
    for (const webhook of await webhooksOf(() =>
      stripe.ledger.refundInDashboard(intentOf(yearly).id, 36_500),
    ))
      await receive(webhook).expect(200);
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true }).expect(200);
    const after = (await get(list))['data'] as { balanceCredited: number }[];
    expect(after.map(({ balanceCredited }) => balanceCredited)).toEqual(after.map(() => 0));
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(id) || problem.includes(yearly))).toEqual([]);
  });

  it('that is refunded in the dashboard and by a credit note before the webhook comes gives the money back once', async () => {
    const id = await paidInvoice();
    const intent = intentOf(id).id;
    const webhooks = await webhooksOf(() => stripe.ledger.refundInDashboard(intent, 700));
    const { body: note } = await http.post(`/v1/invoices/${id}/credit-note`, { reason: 'other' }).expect(201);
    expect(note).toMatchObject({
      total: 20,
      refundAmount: 20,
      refundStatus: 'succeeded',
      refundRefusal: null,
      refundedAtProcessor: 7,
    });
    for (const webhook of webhooks) await receive(webhook).expect(200);
    expect(stripe.ledger.refundsOf(intent).map(({ amount }) => amount)).toEqual([700, 1_300]);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      gatewayRefunds: [{ amount: 7, alreadyGivenBack: 7, takenBack: 0 }],
    });
    await untilBalances({ cash: 0, refunds: 20, accounts_receivable: 0 });
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(id))).toEqual([]);
  });

  it('that is refunded in the dashboard after a credit note to the balance is taken off the balance', async () => {
    const id = await paidInvoice();
    const { customerId } = (await get(`/v1/invoices/${id}`)) as { customerId: string };
    await http.post(`/v1/invoices/${id}/credit-note`, { reason: 'other', to: 'balance' }).expect(201);
    const webhooks = await webhooksOf(() => stripe.ledger.refundInDashboard(intentOf(id).id, 700));
    for (const webhook of webhooks) await receive(webhook).expect(200);
    await untilBalances({ cash: 13, refunds: 20, customer_credit: -13 });
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      gatewayRefunds: [{ amount: 7, alreadyGivenBack: 7, takenBack: 7 }],
    });
    const balanceChanges = async () =>
      (await get(`/v1/customers/${customerId}/balance-transactions`))['data'] as unknown[];
    expect(await balanceChanges()).toMatchObject([
      { type: 'debited', amount: -7, balance: 13, invoiceId: id },
      { type: 'credited', amount: 20 },
    ]);
    // The refund fails. The customer gets the amount back on the balance.
    const [refund] = stripe.ledger.refundsOf(intentOf(id).id);
    for (const webhook of await webhooksOf(() => stripe.ledger.failRefund(refund!.id)))
      await receive(webhook).expect(200);
    await untilBalances({ cash: 20, refunds: 20, customer_credit: -20 });
    await untilAnswer(balanceChanges, ({ length }) => length === 3);
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(id))).toEqual([]);
  });

  it('that is refunded in the dashboard before an end with a refund does not go to the balance too', async () => {
    const planId = await createPlan(workspace, fee('Platform', 49, { timing: 'in_advance' }));
    const customerId = await customerWith('visa');
    const { subscriptionId } = await subscribeExisting(planId, customerId);
    const list = `/v1/invoices?subscription_id=${subscriptionId}`;
    const id = await untilPaid(list);
    const webhooks = await webhooksOf(() => stripe.ledger.refundInDashboard(intentOf(id).id, 4_900));
    const end = { immediately: true, credit: 'refund' };
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, end).expect(200);
    await until(id, 'GatewayRefundFound');
    await untilTasksDone('complete-refund');
    for (const webhook of webhooks) await receive(webhook).expect(200);
    const shown = (await get(`/v1/invoices/${id}`)) as { refunds: { amount: number }[] };
    const [{ amount }] = shown.refunds as [{ amount: number }];
    expect(shown).toMatchObject({
      refunds: [{ amount, status: 'succeeded', refundedAtProcessor: amount }],
      gatewayRefunds: [{ amount: 49, alreadyGivenBack: amount }],
    });
    expect((await get(`/v1/customers/${customerId}/balance-transactions`))['data']).toEqual([]);
    await untilBalances({ cash: 0, customer_credit: 0, accounts_receivable: 0 });
  });

  it('of prepaid credits that is refunded in the dashboard takes the unused credits back', async () => {
    const type = { type: 'returned-tokens', name: 'Tokens', unitPrice: 0.1, currency: 'USD' };
    await http.post('/v1/credit-types', type).expect(201);
    const customerId = await customerWith('visa');
    const wallet = `/v1/customers/${customerId}/wallets/returned-tokens`;
    const { body: bought } = await http.post(`${wallet}/purchases`, { credits: 1000 }).expect(201);
    const invoiceId = (bought as { invoice: { id: string } }).invoice.id;
    await until(invoiceId, 'InvoicePaid');
    const refund = (amount: number) =>
      webhooksOf(() => stripe.ledger.refundInDashboard(intentOf(invoiceId).id, amount));
    for (const webhook of await refund(4_000)) await receive(webhook).expect(200);
    await untilBalances({ cash: 60, refunds: 0, prepaid_credits: -60 });
    expect(await get(wallet)).toMatchObject({ balance: 600, blocks: [{ remaining: 600, blocked: 0 }] });
    for (const webhook of await refund(6_000)) await receive(webhook).expect(200);
    await untilBalances({ cash: 0, refunds: 0, prepaid_credits: 0, accounts_receivable: 0 });
    expect(await get(wallet)).toMatchObject({ balance: 0, blocks: [] });
    expect((await get(`${wallet}/ledger`))['data']).toMatchObject([
      { type: 'taken_back', amount: -600, balance: 0 },
      { type: 'taken_back', amount: -400, balance: 600 },
      { type: 'purchased', amount: 1000 },
    ]);
  });

  it('of prepaid credits with tax that is refunded and lost leaves no tax and no refund in the books', async () => {
    const { body: rate } = await http.post('/v1/tax-rates', { name: 'VAT', percentage: 19 }).expect(201);
    const type = { type: 'taxed-tokens', name: 'Tokens', unitPrice: 0.1, currency: 'USD' };
    await http.post('/v1/credit-types', type).expect(201);
    const customerId = await customerWith('visa');
    await http.patch(`/v1/customers/${customerId}`, { taxRateIds: [rate.id] }).expect(200);
    const wallet = `/v1/customers/${customerId}/wallets/taxed-tokens`;
    const { body: bought } = await http.post(`${wallet}/purchases`, { credits: 1000 }).expect(201);
    const invoiceId = (bought as { invoice: { id: string } }).invoice.id;
    await until(invoiceId, 'InvoicePaid');
    await untilBalances({ cash: 119, tax_payable: -19, prepaid_credits: -100 });
    const intent = intentOf(invoiceId).id;
    for (const amount of [4_760, 7_140]) {
      for (const webhook of await webhooksOf(() => stripe.ledger.refundInDashboard(intent, amount)))
        await receive(webhook).expect(200);
    }
    const settled = { cash: 0, refunds: 0, prepaid_credits: 0, tax_payable: 0, accounts_receivable: 0 };
    await untilBalances(settled);
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes(invoiceId))).toEqual([]);
  });

  it('that is disputed shows the dispute and its end, in any order of the webhooks', async () => {
    const [won, lost] = [await paidInvoice(), await paidInvoice()];
    const webhooks = await webhooksOf(() => {
      for (const [id, status] of [
        [won, 'won'],
        [lost, 'lost'],
      ] as const)
        stripe.ledger.closeDispute(stripe.ledger.openDispute(intentOf(id).id).id, status);
    });
    for (const webhook of webhooks.reverse()) await receive(webhook).expect(200);
    for (const [id, status] of [
      [won, 'won'],
      [lost, 'lost'],
    ] as const) {
      expect(await get(`/v1/invoices/${id}`)).toMatchObject({
        disputes: [{ reason: 'fraudulent', status, amount: 20, closedAt: expect.any(String) }],
      });
      expect((await events(id)).slice(-2)).toEqual(['PaymentDisputed', 'PaymentDisputeClosed']);
    }
    await untilBalances({ cash: 20, bad_debt: 20 });
  });
});

describe('a webhook', () => {
  it('that is forged, late, too large or of an unknown workspace is refused', async () => {
    const event = { type: 'payment_intent.succeeded', object: { id: 'pi_x' } };
    const { body, signature } = stripe.webhookOf(event);
    await receive({ body: body.replace('pi_x', 'pi_y'), signature }).expect(400);
    await receive({ body, signature: '' }).expect(400);
    await receive(signedWebhook(body, { secret: 'whsec_forged' })).expect(400);
    const at = machineSeconds() - 400;
    const { body: late } = await receive(signedWebhook(body, { at })).expect(400);
    expect(late.code).toBe('invalid_signature');
    await receive({ body, signature }, 'acc_none').expect(404);
    await receive(signedWebhook(JSON.stringify({ x: 'x'.repeat(300_000) }))).expect(413);
  });

  const paid = 'payment_intent.succeeded';
  it.each([
    'null',
    '[]',
    '{}',
    'no JSON',
    JSON.stringify({ id: 7, type: paid, data: { object: { id: 'pi_x' } } }),
    JSON.stringify({ id: 'evt_\0', type: paid, data: { object: { id: 'pi_x' } } }),
    JSON.stringify({ id: 'evt_x', data: { object: { id: 'pi_x' } } }),
    JSON.stringify({ id: 'evt_x', type: paid }),
    JSON.stringify({ id: 'evt_x', type: paid, data: null }),
    JSON.stringify({ id: 'evt_x', type: paid, data: { object: [] } }),
    JSON.stringify({ id: 'evt_x', type: paid, data: { object: { id: {} } } }),
    JSON.stringify({
      id: 'evt_x',
      type: 'checkout.session.completed',
      data: { object: { id: 'cs_x', metadata: { setup: 'a\0' } } },
    }),
    JSON.stringify({
      id: 'evt_x',
      type: 'checkout.session.completed',
      data: { object: { id: 'cs_x', metadata: 'x' } },
    }),
    JSON.stringify({
      id: 'evt_x',
      type: 'charge.refunded',
      data: { object: { id: 'ch_x', payment_intent: { id: 7 } } },
    }),
  ])('that is signed well and malformed is refused: %s', async (body) => {
    const { body: refusal } = await receive(signedWebhook(body)).expect(400);
    expect(refusal.code).toBe('malformed_stripe_event');
  });

  it('of an unknown type is acknowledged, and likewise of a charge of somebody else', async () => {
    for (const happening of [
      { type: 'product.created', object: { id: 'prod_1' } },
      { type: 'charge.refunded', object: { id: 'ch_1', payment_intent: null } },
      { type: 'refund.failed', object: { id: 're_none', object: 'refund', payment_intent: 'pi_none' } },
      { type: 'checkout.session.completed', object: { id: 'cs_1', metadata: { setup: 'cset_none' } } },
    ])
      expect((await receive(stripe.webhookOf(happening)).expect(200)).body).toEqual({ received: true });
  });

  it('is repeated by Stripe while it cannot be dealt with', async () => {
    const id = await openInvoice('visa');
    await until(id, 'InvoicePaid');
    const [webhook] = await webhooksOf(() => stripe.ledger.openDispute(intentOf(id).id));
    stripe.plan(/^GET \/v1\/disputes/, 500);
    await receive(webhook!).expect(503);
    await receive(webhook!).expect(200);
    expect((await events(id)).at(-1)).toBe('PaymentDisputed');
  });
});

describe('a saga that is killed between a charge and its answer', () => {
  it(`charges once and books once, ${KILLS} times`, async () => {
    await system.saga.close();
    const customerId = await customerWith('visa');
    const invoices: string[] = [];
    for (let i = 0; i < KILLS; i++) {
      const saga = await startApp('saga', system, { STRIPE_API_URL: stripe.url });
      const charged = Promise.withResolvers<void>();
      stripe.plan(/^POST \/v1\/payment_intents$/, {
        hold: async () => {
          await saga.kill();
          charged.resolve();
        },
      });
      invoices.push(await createInvoice(system, workspace, customerId));
      await charged.promise;
    }
    const last = await startApp('saga', system, { STRIPE_API_URL: stripe.url });
    for (const id of invoices) {
      await until(id, 'InvoicePaid');
      expect(await events(id)).toEqual(PAID);
    }
    const intents = [...stripe.ledger.intents.values()].filter(({ metadata }) =>
      invoices.includes(metadata['invoice']!),
    );
    expect(intents.map(({ status, amount }) => [status, amount])).toEqual(
      invoices.map(() => ['succeeded', 2_000]),
    );
    await untilBalances({ cash: 20 * KILLS });
    await last.stop();
    // Eleven sagas start, one after the other.
  }, 900_000);
});

async function subscribeExisting(planId: string, customerId: string): Promise<{ subscriptionId: string }> {
  const { body } = await http.post('/v1/subscriptions', { customerId, planId }).expect(201);
  return { subscriptionId: body.id as string };
}

/** An invoice whose payment waits for the customer, and the path of its page. */
async function waitingInvoice(): Promise<{ id: string; page: string }> {
  const id = await openInvoice('authenticates');
  await until(id, 'PaymentActionRequired');
  const { body } = await http.get(`/v1/invoices/${id}/link`).expect(200);
  return { id, page: pathOf(body.url as string) };
}

/** Waits until the invoice is shown as expected. Answers follow the events that the saga stores. */
async function untilShown(id: string, isShown: (invoice: Record<string, unknown>) => boolean): Promise<void> {
  await untilAnswer(() => get(`/v1/invoices/${id}`), isShown);
}

/** Waits until the ledger has these balances: debits less credits. The ledger follows the events. */
async function untilBalances(expected: Readonly<Record<string, number>>): Promise<void> {
  await untilAnswer(
    () => ledgerBalances(workspace),
    (balances) =>
      Object.entries(expected).every(([account, balance]) => (balances[account] ?? 0) === balance),
  );
}

/** Lets the bank answer before the saga cancels the charge of a voided invoice at Stripe. */
function answerBeforeCancellation(): void {
  const payments = system.saga.get(InvoicePayments, { strict: false });
  jest.spyOn(payments, 'cancelWaitingCharges').mockResolvedValue();
}
