import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { workspaceDecider } from '#libs/contexts/identity';
import { AggregateStore } from '#libs/kernel/event-store';
import { startApp } from '../../../test/support/app-process.js';
import { atWrites } from '../../../test/support/at-writes.js';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import { createPlan, fee } from '../../../test/support/plans.js';
import { addUser } from '../../../test/support/second-user.js';
import { STRIPE_KEY, StripeServer } from '../../../test/support/stripe-server/index.js';
import {
  clientOf,
  freezeClock,
  itOfNode,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

const GO_LIVE = '/v1/workspace/go-live';
const seller = {
  legalName: 'Contoso GmbH',
  address: { line1: 'Main Street 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxId: 'DE123456789',
};

let stripe: StripeServer;
let mail: MailServer;
let system: System;
let count = 0;

beforeAll(async () => {
  stripe = await StripeServer.start();
  mail = await MailServer.start();
  system = await startSystem({
    STRIPE_API_URL: stripe.url,
    MAIL_URL: mail.url,
    MAIL_FROM: 'billing@example.com',
  });
});
afterAll(async () => {
  await system?.stop();
  await mail?.close();
  await stripe?.stop();
});

const request = () => ({ adminEmail: `live${++count}@example.com`, secretKey: STRIPE_KEY });

/** Opens the link of a mail to the user, as the owner of the mailbox can. */
async function proveAddress({ email, password }: TestWorkspace): Promise<void> {
  const anybody = clientOf(system.url);
  await anybody.post('/v1/auth/magic-link', { email }).expect(202);
  const received = await mail.next(email);
  const [, token] = /\/auth\/magic-link\/([\w-]+)/.exec(textOf(received))!;
  await anybody.post('/v1/auth/magic-link/verify', { token, password }).expect(200);
}

async function readySandbox(): Promise<TestWorkspace> {
  const sandbox = await system.workspace({ companyName: 'Contoso' });
  await proveAddress(sandbox);
  await sandbox.http.put('/v1/billing-settings', { seller, netDays: 10 }).expect(200);
  await createPlan(sandbox, fee('Platform', 49));
  return sandbox;
}

describe('going live', () => {
  it('says what is missing, and creates nothing', async () => {
    const { http } = await system.workspace();
    const { body } = await http.post(GO_LIVE, { adminEmail: 'a@example.com' }).expect(200);
    expect(body.live).toBeNull();
    expect(
      Object.fromEntries(
        body.checks.map((one: { check: string; status: string }) => [one.check, one.status]),
      ),
    ).toEqual({
      email_address: 'failed',
      seller: 'failed',
      taxes: 'warning',
      plans: 'failed',
      payment_gateway: 'failed',
      mail: 'ok',
      public_url: 'warning',
    });
    const wrong = { adminEmail: 'a@example.com', secretKey: 'sk_live_wrong00000000' };
    const { body: refused } = await http.post(GO_LIVE, wrong).expect(200);
    expect(refused.checks).toContainEqual({
      check: 'payment_gateway',
      status: 'failed',
      remedy: expect.stringContaining('refuses'),
    });
  });

  it('is refused to a user who has not proved the address, and to the keys of this user', async () => {
    const sandbox = await system.workspace();
    await sandbox.http.put('/v1/billing-settings', { seller }).expect(200);
    await createPlan(sandbox, fee('Platform', 49));
    for (const client of [sandbox.http, sandbox.session]) {
      const { body } = await client.post(GO_LIVE, request()).expect(200);
      expect(body.live).toBeNull();
      expect(body.checks).toContainEqual({
        check: 'email_address',
        status: 'failed',
        remedy: expect.stringContaining('magic-link'),
      });
    }
    await proveAddress(sandbox);
    expect((await sandbox.http.post(GO_LIVE, request()).expect(200)).body.live).not.toBeNull();
  });

  it('makes a live workspace with the settings, an API key and an invitation, and leaves the data behind', async () => {
    const sandbox = await readySandbox();
    await sandbox.http.post('/v1/customers', { id: 'northwind', name: 'Northwind' }).expect(201);
    const body = request();
    const preview = await sandbox.http.post(GO_LIVE, { ...body, preview: true }).expect(200);
    expect(preview.body.live).toBeNull();
    const { body: answer } = await sandbox.http
      .post(GO_LIVE, body)
      .set('Idempotency-Key', 'live')
      .expect(200);
    expect(answer.live).toEqual({
      accountId: expect.stringMatching(/^acc_/),
      apiKey: expect.stringMatching(/^svc_/),
    });
    const again = await sandbox.http.post(GO_LIVE, body).set('Idempotency-Key', 'live').expect(200);
    expect(again.body.live).toEqual(answer.live);
    const live = clientOf(system.url, { 'x-api-key': answer.live.apiKey as string });
    expect((await live.get('/v1/billing-settings').expect(200)).body).toMatchObject({ netDays: 10, seller });
    expect((await live.get('/v1/payment-gateway').expect(200)).body).toMatchObject({
      mode: 'test',
      webhookSecretSet: false,
      webhookUrl: expect.stringContaining(`workspace=${answer.live.accountId}`),
    });
    for (const list of ['customers', 'plans', 'prices', 'invoices'])
      expect((await live.get(`/v1/${list}`).expect(200)).body.data).toEqual([]);
    expect((await live.get('/v1/users/invitations').expect(200)).body.data).toMatchObject([
      { email: body.adminEmail, role: 'admin', status: 'pending' },
    ]);
    expect(
      (await live.post('/v1/sandbox/clock/advance', { to: '2030-01-01T00:00:00Z' }).expect(409)).body.code,
    ).toBe('not_a_sandbox');
    expect((await live.post(GO_LIVE, request()).expect(409)).body.code).toBe('sandbox_only');
    await sandbox.http.get('/v1/customers/northwind').expect(200);
  });

  it('mails the first admin, also for an API key, and mails again when it is repeated', async () => {
    const { http } = await readySandbox();
    const body = request();
    await http.post(GO_LIVE, body).expect(200);
    const first = textOf(await mail.next(body.adminEmail));
    expect(first).toContain('You are invited to Contoso on Countinghouse, with the role admin.');
    await system.api.get(Pool, { strict: false }).query(
      `UPDATE identity.invitations SET sent_at = sent_at - interval '8 days', expires_at = expires_at - interval '8 days'
       WHERE email = $1`,
      [body.adminEmail],
    );
    await http.post(GO_LIVE, body).expect(200);
    const [, token] = /auth\/invitation\/([\w-]{43})/.exec(textOf(await mail.next(body.adminEmail)))!;
    const user = { token, name: 'Ada', password: 'correct horse battery staple' };
    await clientOf(system.url).post('/v1/auth/accept-invitation', user).expect(201);
  });

  it('makes a key whose requests its creator cannot approve as a user of the live workspace', async () => {
    const sandbox = await readySandbox();
    const body = request();
    const email = body.adminEmail;
    const { accountId: workspaceId, apiKey } = (await sandbox.session.post(GO_LIVE, body).expect(200)).body
      .live as { accountId: string; apiKey: string };
    const [, token] = /auth\/invitation\/([\w-]{43})/.exec(textOf(await mail.next(email)))!;
    const { password } = sandbox;
    const { body: accepted } = await clientOf(system.url)
      .post('/v1/auth/accept-invitation', { token, name: 'Ada', password })
      .expect(201);
    await addUser(system, { ...sandbox, workspaceId, email }, 'finance');
    const admin = clientOf(system.url, { authorization: `Bearer ${accepted.tokens.accessToken}` });
    await admin.put('/v1/approvals/policies/invoice.void', { enabled: true }).expect(200);

    const live = clientOf(system.url, { 'x-api-key': apiKey });
    const { id: customerId } = (await live.post('/v1/customers', { name: 'Northwind' }).expect(201)).body;
    const lines = [{ description: 'Work', unitPrice: 100 }];
    const invoice = { customerId, currency: 'USD', lines };
    const { id: invoiceId } = (await live.post('/v1/invoices', invoice).expect(201)).body;
    const { body: held } = await live.post(`/v1/invoices/${invoiceId}/void`, {}).expect(202);
    expect(held.requestedBy).toMatchObject({ type: 'api_key', userId: null });
    const { body: refused } = await admin.post(`/v1/approvals/${held.id}/approve`, {}).expect(403);
    expect(refused.code).toBe('requester_unknown');
  });

  it('keeps changed settings when it is repeated, and revokes the invitation of another address', async () => {
    const sandbox = await readySandbox();
    const [wrong, right] = [request(), request()];
    const { body: first } = await sandbox.http.post(GO_LIVE, wrong).expect(200);
    const live = clientOf(system.url, { 'x-api-key': first.live.apiKey as string });
    await live.put('/v1/billing-settings', { netDays: 45 }).expect(200);
    await sandbox.http.post(GO_LIVE, right).expect(200);
    expect((await live.get('/v1/users/invitations').expect(200)).body.data).toMatchObject([
      { email: wrong.adminEmail, status: 'revoked' },
      { email: right.adminEmail, status: 'pending' },
    ]);
    expect((await live.get('/v1/billing-settings').expect(200)).body).toMatchObject({ netDays: 45, seller });
  });

  it('makes the live workspace at the real time, whatever the time of the sandbox', async () => {
    const sandbox = await readySandbox();
    await freezeClock(sandbox, '2040-01-01T00:00:00.000Z');
    const { body } = await sandbox.http.post(GO_LIVE, request()).expect(200);
    const record = system.api
      .get(AggregateStore, { strict: false })
      .load(workspaceDecider, body.live.accountId as string);
    expect((await record)!.at < '2039').toBe(true);
  });

  it('makes one live workspace, and can be repeated until that has a user', async () => {
    const { http } = await readySandbox();
    const body = request();
    const answers = await Promise.all([http.post(GO_LIVE, body), http.post(GO_LIVE, body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, other] = answers.map(({ body: { live } }) => live as { accountId: string; apiKey: string });
    expect(one!.accountId).toBe(other!.accountId);
    expect(one!.apiKey).not.toBe(other!.apiKey);
    const live = clientOf(system.url, { 'x-api-key': one!.apiKey });
    expect((await live.get('/v1/users/invitations').expect(200)).body.data).toHaveLength(1);
    await system.api.get(Pool, { strict: false }).query(
      `INSERT INTO identity.users (id, workspace_id, email, name, role, status, created_at)
         VALUES ('usr_live', $1, 'first@example.com', 'First', 'admin', 'active', now())`,
      [one!.accountId],
    );
    expect((await http.post(GO_LIVE, body).expect(409)).body.code).toBe('already_live');
  });

  itOfNode(
    'copies the catalog on request, and goes on with the copy after the API was killed in the middle',
    async () => {
      const sandbox = await readySandbox();
      const defaultTaxRate = await makeCatalog(sandbox.http);
      const body = { ...request(), copyCatalog: true };
      const api = await startApp('api', system, { STRIPE_API_URL: stripe.url });
      const killed = clientOf(`http://127.0.0.1:${api.port}`, { 'x-api-key': sandbox.apiKey });
      let prices = 0;
      atWrites((types) =>
        types.includes('PriceCreated') && ++prices === 2 ? { after: async () => api.kill() } : undefined,
      );
      await expect(killed.post(GO_LIVE, body)).rejects.toThrow();
      jest.restoreAllMocks();
      const { body: first } = await sandbox.http.post(GO_LIVE, body).expect(200);
      const { body: second } = await sandbox.http.post(GO_LIVE, body).expect(200);
      expect(second.catalog).toEqual(first.catalog);
      const { copied, skipped } = first.catalog as {
        copied: { type: string; sandboxId: string; liveId: string }[];
        skipped: { type: string; sandboxId: string; reason: string }[];
      };
      expect(copied.map(({ type }) => type)).toEqual([
        'tax_rate',
        'metric',
        'metric',
        'price',
        'price',
        'price',
        'plan',
        'plan',
        'coupon',
        'credit_type',
        'credit_rate',
        'credit_allowance',
      ]);
      expect(skipped).toEqual([
        { type: 'price', sandboxId: expect.any(String), reason: expect.stringContaining('the tax rate') },
        { type: 'credit_rate', sandboxId: expect.any(String), reason: expect.stringContaining('2030-01-01') },
      ]);
      const live = clientOf(system.url, { 'x-api-key': first.live.apiKey as string });
      const liveIds = new Map(copied.map(({ sandboxId, liveId }) => [sandboxId, liveId]));
      const asLive = (one: object) =>
        JSON.parse(
          JSON.stringify(one).replace(/"([^"]+)"/g, (all, id: string) =>
            liveIds.has(id) ? `"${liveIds.get(id)}"` : all,
          ),
        ) as object;
      const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
      for (const list of ['metrics', 'prices', 'plans']) {
        const { data: made } = (await sandbox.http.get(`/v1/${list}`).expect(200)).body as List;
        const { data: copies } = (await live.get(`/v1/${list}`).expect(200)).body as List;
        const usable = made.filter(({ id }) => liveIds.has(id));
        expect(copies).toEqual(usable.map((one) => ({ ...asLive(one), ...times })));
      }
      const { data: coupons } = (await live.get('/v1/coupons').expect(200)).body as List;
      expect(coupons).toMatchObject([
        { id: 'summer', percentOff: 12.5, planIds: [liveIds.get(planOf(copied))] },
      ]);
      const { data: rates } = (await live.get('/v1/credit-types/ai/rates').expect(200)).body as List;
      expect(rates).toMatchObject([{ creditsPerUnit: 0.25 }]);
      expect((await live.get('/v1/billing-settings').expect(200)).body).toMatchObject({
        netDays: 10,
        seller,
        defaultTaxRateIds: [liveIds.get(defaultTaxRate)],
      });
      for (const list of ['customers', 'subscriptions', 'invoices'])
        expect((await live.get(`/v1/${list}`).expect(200)).body.data).toEqual([]);
    },
    480_000,
  );
});

interface List {
  data: { id: string }[];
}

const planOf = (copied: { type: string; sandboxId: string }[]) =>
  copied.filter(({ type }) => type === 'plan').at(-1)!.sandboxId;

/** Makes one of everything in a catalog, and what is not copied. Returns the id of the default tax rate. */
async function makeCatalog(http: Client): Promise<string> {
  const post = async (path: string, body: object) =>
    (await http.post(`/v1/${path}`, body).expect(201)).body as { id: string };
  const vat = await post('tax-rates', { name: 'VAT', percentage: 19.5, inclusive: false });
  const old = await post('tax-rates', { name: 'Old VAT', percentage: 16, inclusive: false });
  await http.put('/v1/billing-settings', { defaultTaxRateIds: [vat.id] }).expect(200);
  const calls = await post('metrics', {
    name: 'Calls',
    eventName: 'api.call',
    description: 'All of them',
    aggregation: { type: 'sum', property: 'units', filter: { region: 'eu' }, groupBy: ['tier'] },
  });
  await post('metrics', {
    name: 'SQL',
    aggregation: { type: 'sql' },
    sql: "SELECT count(*) AS quantity FROM events WHERE properties ->> 'x' = '1'",
  });
  const usage = await post('prices', {
    name: 'Calls',
    metricId: calls.id,
    cadence: 'usage_based',
    taxRateIds: [vat.id],
    config: {
      model: 'graduated',
      currency: 'USD',
      tiers: [
        { upTo: 1000, unitPrice: 0.123456789012345, flatAmount: 1 },
        { upTo: null, unitPrice: 0.01 },
      ],
    },
  });
  const fee = await post('prices', {
    name: 'Seats',
    licenseTypeId: 'editor',
    timing: 'in_advance',
    taxRateIds: [],
    config: { model: 'license', unitPrice: 7.5, currency: 'USD' },
  });
  await post('prices', {
    name: 'Old',
    taxRateIds: [old.id],
    config: { model: 'flat', amount: 1, currency: 'USD' },
  });
  await http.post(`/v1/tax-rates/${old.id}/archive`).expect(200);
  const plan = await post('plans', {
    name: 'Everything',
    description: 'D',
    prices: [usage.id, fee.id],
    trialDays: 14,
    visibility: 'hidden',
    features: [
      { featureId: 'sso' },
      {
        featureId: 'calls',
        name: 'Calls',
        type: 'numeric',
        limit: 5000,
        metricId: calls.id,
        resets: 'period',
      },
    ],
    minimumCommitment: { amount: 1200, interval: 'annual' },
    billingThresholds: { amountGte: 500.5 },
  });
  await post('coupons', {
    id: 'summer',
    name: 'Summer',
    percentOff: 12.5,
    duration: 'repeating',
    durationInInvoices: 3,
    planIds: [plan.id],
  });
  await post('coupons', { id: 'gone', name: 'Gone', amountOff: 5, currency: 'USD', duration: 'once' });
  await http.post('/v1/coupons/gone/deactivate').expect(200);
  await post('credit-types', { type: 'ai', name: 'AI', unitPrice: 0.01, currency: 'USD', overage: 'allow' });
  await post('credit-types/ai/rates', { metricId: calls.id, creditsPerUnit: 0.25 });
  await post('credit-types/ai/rates', {
    metricId: calls.id,
    creditsPerUnit: 0.5,
    effectiveAt: '2030-01-01T00:00:00Z',
  });
  await post('credit-types/ai/allowances', { planId: plan.id, credits: 100, every: 'month' });
  return vat.id;
}
