import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SagaProcess } from '#apps/saga';
import { addSeconds } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import {
  advanceClock,
  clientOf,
  freezeClock,
  operationsOf,
  requestsOf,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { addUser } from '../../../test/support/second-user.js';

let system: System;
let workspace: TestWorkspace;
const { get, post, create, remove } = requestsOf(() => workspace);

/** The ids of what the tests share: a customer with a subscription to Basic, and the plan Pro. */
const ids = { basic: '', pro: '', subscription: '', metric: '' };
let token: string;
let portal: Client;

const openSession = async (body: object) => create('/v1/portal/sessions', body);
const withToken = (value: string): Client => clientOf(system.url, { authorization: `Bearer ${value}` });
/** A client of another session. */
const portalOf = async (body: object) => withToken((await openSession(body)).token);
const codeOf = async (request: ReturnType<Client['get']>, status: number): Promise<string> =>
  ((await request.expect(status)).body as { code: string }).code;
const read = async (path: string, client = portal) => (await client.get(path).expect(200)).body;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace({ companyName: 'Contoso GmbH' });
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const plan = async (name: string, amount: number, more: object = {}) => {
    const config = { model: 'flat', amount, currency: 'USD', ...more };
    const fee = await create('/v1/prices', { name: `${name} fee`, timing: 'in_advance', config });
    const usage = { model: 'unit', unitPrice: 0.5, currency: config.currency };
    const metered = { name: 'Calls', metricId: ids.metric, cadence: 'usage_based', config: usage };
    return { name, prices: [fee.id, (await create('/v1/prices', metered)).id] };
  };
  ids.metric = (
    await create('/v1/metrics', { name: 'call', aggregation: { type: 'sum', property: 'n' } })
  ).id;
  const features = [{ featureId: 'calls', type: 'numeric', limit: 100, metricId: ids.metric }];
  ids.basic = (await create('/v1/plans', { ...(await plan('Basic', 10)), features })).id;
  ids.pro = (await create('/v1/plans', await plan('Pro', 40))).id;
  await create('/v1/plans', { ...(await plan('Hidden', 1)), visibility: 'hidden' });
  await create('/v1/plans', await plan('Euro', 9, { currency: 'EUR' }));
  await create('/v1/customers', {
    id: 'ada',
    name: 'Ada',
    externalId: 'crm-1',
    metadata: { margin: 'internal' },
  });
  await create('/v1/customers', { id: 'bob', name: 'Bob' });
  await create('/v1/customers/ada/payment-methods', { type: 'test', test: 'pm_card_visa' });
  const subscribe = (customerId: string) => create('/v1/subscriptions', { customerId, planId: ids.basic });
  ids.subscription = (await subscribe('ada')).id;
  await create('/v1/credit-types', { type: 'tokens', name: 'Tokens', unitPrice: 0.02, currency: 'USD' });
  const internal = { costBasis: 0.01, description: 'internal note' };
  await create('/v1/customers/ada/wallets/tokens/grants', { amount: 50, ...internal });
  await advanceClock(workspace, '2026-01-11T00:00:00.000Z');
  const event = (day: string, n: number) => ({
    customerId: 'ada',
    eventName: 'call',
    timestamp: `2026-01-${day}T12:00:00Z`,
    properties: { n },
  });
  await post('/v1/events', [event('02', 3), event('02', 4), event('05', 2)]);
  const allowed = { allowPlanChanges: true, allowCreditPurchases: true };
  token = (await openSession({ customerId: 'ada', ...allowed })).token;
  portal = withToken(token);
});
afterAll(async () => system?.stop());

describe('a portal session', () => {
  it('shows its token once, and lasts as long as was asked', async () => {
    const session = await openSession({ customerId: 'bob', expiresInSeconds: 86_400 });
    expect(session).toEqual({
      id: expect.stringMatching(/^pses_/),
      customerId: 'bob',
      token: expect.any(String),
      allowPlanChanges: false,
      quantityLimits: null,
      allowCreditPurchases: false,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(86_400_000);
    const { token: secret, ...shown } = session;
    const { data } = await get('/v1/portal/sessions?customerId=bob');
    expect(data).toEqual([shown]);
    expect(JSON.stringify(data)).not.toContain(secret);
    for (const expiresInSeconds of [0, 86_401, 1.5, '60'])
      await post('/v1/portal/sessions', { customerId: 'bob', expiresInSeconds }, 400);
    expect(await post('/v1/portal/sessions', { customerId: 'nobody' }, 404)).toMatchObject({
      code: 'customer_not_found',
      details: [{ field: 'customerId' }],
    });
  });

  it('is refused at once when it is revoked, and is in the audit trail', async () => {
    const session = await openSession({ customerId: 'bob' });
    await withToken(session.token).get('/v1/portal/me').expect(200);
    await remove(`/v1/portal/sessions/${session.id}`);
    expect(await codeOf(withToken(session.token).get('/v1/portal/me'), 401)).toBe('invalid_credential');
    await remove(`/v1/portal/sessions/${session.id}`, 404);
    const { body } = await workspace.session.get(`/v1/audit?resourceId=${session.id}`).expect(200);
    expect(body.data.map(({ action }: { action: string }) => action).sort()).toEqual([
      'portal_session.created',
      'portal_session.revoked',
    ]);
  });

  it('of another caller is not given to one who may allow less', async () => {
    const { session: developer } = await addUser(system, workspace, 'developer');
    const body = { customerId: 'bob', allowCreditPurchases: true };
    const ask = (client: Client) => client.post('/v1/portal/sessions', body).set('Idempotency-Key', 'bob-1');
    await ask(workspace.session).expect(201);
    expect(await codeOf(ask(developer), 403)).toBe('role_exceeds_own');
  });

  it('ends with its customer', async () => {
    await create('/v1/customers', { id: 'gone', name: 'Gone' });
    const session = await openSession({ customerId: 'gone' });
    await remove('/v1/customers/gone');
    await withToken(session.token).get('/v1/portal/me').expect(401);
    expect((await get('/v1/portal/sessions?customerId=gone')).data).toEqual([]);
  });

  it('is made by a key that may do nothing else, and has no right that the key lacks', async () => {
    const key = { name: 'portal', role: 'admin', permissions: ['portal_sessions:write'] };
    const { body } = await workspace.session.post('/v1/api-keys', key).expect(201);
    const server = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
    const ask = (more: object = {}) => server.post('/v1/portal/sessions', { customerId: 'bob', ...more });
    await server.get('/v1/customers/bob').expect(403);
    expect(await codeOf(ask({ allowPlanChanges: true }), 403)).toBe('role_exceeds_own');
    expect(await codeOf(ask({ allowCreditPurchases: true }), 403)).toBe('role_exceeds_own');
    const own = withToken((await ask().expect(201)).body.token);
    await own.patch('/v1/portal/me', { name: 'Bob' }).expect(200);
  });

  it('cannot allow more than the role that makes it, nor be revoked from another workspace', async () => {
    const { body } = await workspace.session.post('/v1/api-keys', { name: 'd', role: 'developer' });
    const developer = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
    const ask = (more: object) => developer.post('/v1/portal/sessions', { customerId: 'bob', ...more });
    expect(await codeOf(ask({ allowCreditPurchases: true }), 403)).toBe('role_exceeds_own');
    const { id, token: own } = (await ask({ allowPlanChanges: true }).expect(201)).body;
    const stranger = await system.workspace();
    await stranger.http.delete(`/v1/portal/sessions/${id}`).expect(404);
    expect((await stranger.http.get('/v1/portal/sessions').expect(200)).body.data).toEqual([]);
    await stranger.http.post('/v1/portal/sessions', { customerId: 'bob' }).expect(404);
    await withToken(own).get('/v1/portal/me').expect(200);
  });
});

describe('credentials', () => {
  it('of a customer open the portal and nothing else, and the others do not open the portal', async () => {
    const { body } = await workspace.http.get('/v1/openapi.json').expect(200);
    const paths = (
      body as { paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>> }
    ).paths;
    const wrong: string[] = [];
    const asked = { portal: 0, others: 0 };
    for (const { route, method, path } of operationsOf(body, {})) {
      const [, template] = route.split(' ') as [string, string];
      const security = paths[template]![method]!.security!;
      if (security.length === 0) continue;
      const isOfPortal = security.some((one) => 'portal-token' in one);
      asked[isOfPortal ? 'portal' : 'others']++;
      for (const client of isOfPortal ? [workspace.http, workspace.session] : [portal]) {
        const { status, body: answer } = await client[method](path);
        const code = isOfPortal ? 'portal_token_required' : 'portal_token_not_allowed';
        if (status !== 403 || answer.code !== code) wrong.push(`${route}: ${status} ${answer.code}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(asked.portal).toBe(18);
    expect(asked.others).toBeGreaterThan(100);
  });

  it('are refused when they are missing, unknown, or sent as an API key', async () => {
    await clientOf(system.url).get('/v1/portal/me').expect(401);
    await withToken(`${token.slice(0, -1)}_`)
      .get('/v1/portal/me')
      .expect(401);
    await clientOf(system.url, { 'x-api-key': token }).get('/v1/portal/me').expect(401);
  });
});

describe('the customer', () => {
  it('sees itself without what is internal, and changes its contact data under its own name', async () => {
    const address = { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' };
    expect(await read('/v1/portal/me')).toEqual({
      id: 'ada',
      name: 'Ada',
      email: null,
      billingEmail: null,
      currency: 'USD',
      timezone: 'UTC',
      additionalEmails: [],
      language: null,
      address: null,
      taxId: null,
    });
    const changed = await portal
      .patch('/v1/portal/me', { email: 'ada@example.com', language: 'de', address })
      .expect(200);
    expect(changed.body).toMatchObject({ email: 'ada@example.com', language: 'de', address });
    for (const field of ['externalId', 'metadata', 'taxId', 'currency', 'taxExemptReason', 'customerId'])
      await portal.patch('/v1/portal/me', { [field]: 'x' }).expect(400);
    const { body } = await workspace.session.get('/v1/audit?action=customer.updated&limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ resourceId: 'ada', actor: { type: 'customer', id: 'ada' } });
  });

  it('is told what the session allows', async () => {
    expect(await read('/v1/portal/config')).toEqual({
      allowPlanChanges: true,
      quantityLimits: null,
      allowCreditPurchases: true,
      paymentMethodTypes: ['test'],
      expiresAt: expect.any(String),
      sellerName: 'Contoso GmbH',
      brandColor: null,
      sandbox: true,
    });
    const modest = await portalOf({ customerId: 'ada' });
    const allowed = { allowPlanChanges: false, allowCreditPurchases: false };
    expect(await read('/v1/portal/config', modest)).toMatchObject(allowed);
    const change = modest.post('/v1/portal/plan-change', { planId: ids.pro });
    expect(await codeOf(change, 403)).toBe('plan_changes_not_allowed');
    const purchase = modest.post('/v1/portal/wallets/tokens/purchase', { credits: 1 });
    expect(await codeOf(purchase, 403)).toBe('credit_purchases_not_allowed');
  });

  it('keeps its payment methods, and no others', async () => {
    const list = async (client = portal) => (await read('/v1/portal/payment-methods', client)).data;
    const [first] = await list();
    expect(first).toEqual({ id: expect.any(String), type: 'test', label: expect.any(String), default: true });
    const added = await portal
      .post('/v1/portal/payment-methods', { type: 'test', test: 'pm_card_mastercard' })
      .expect(201);
    const other = added.body as { id: string };
    await portal.post(`/v1/portal/payment-methods/${other.id}/default`).expect(200);
    expect((await list()).map((one: { default: boolean }) => one.default)).toEqual([false, true]);
    const bob = await portalOf({ customerId: 'bob' });
    expect(await list(bob)).toEqual([]);
    await bob.post(`/v1/portal/payment-methods/${other.id}/default`).expect(404);
    await bob.delete(`/v1/portal/payment-methods/${other.id}`).expect(404);
    await portal.delete(`/v1/portal/payment-methods/${other.id}`).expect(204);
    expect(await list()).toEqual([first]);
  });

  it('sees usage by day and metric, and what it may still use', async () => {
    const usage = await read('/v1/portal/usage');
    const { days, ...metric } = usage.metrics[0];
    expect({ ...usage, metrics: usage.metrics.length }).toEqual({
      subscriptionId: ids.subscription,
      timezone: 'UTC',
      metrics: 1,
      periodStart: '2026-01-01T00:00:00.000Z',
      periodEnd: '2026-02-01T00:00:00.000Z',
    });
    expect(metric).toEqual({ metricId: ids.metric, name: 'call', aggregation: 'sum', total: 9 });
    expect(days.map(({ date }: { date: string }) => date)).toEqual(
      Array.from({ length: 11 }, (_, i) => `2026-01-${String(i + 1).padStart(2, '0')}`),
    );
    expect(days.map(({ quantity }: { quantity: number }) => quantity)).toEqual([
      0, 7, 0, 0, 2, 0, 0, 0, 0, 0, 0,
    ]);
    expect(await read('/v1/portal/entitlements')).toMatchObject({
      customerId: 'ada',
      entitlements: [{ featureId: 'calls', allocated: 100, consumed: 9, remaining: 91 }],
    });
    const bob = await portalOf({ customerId: 'bob' });
    const own = await read('/v1/portal/usage', bob);
    expect(own).toMatchObject({ subscriptionId: null, metrics: [] });
    expect((await read('/v1/portal/entitlements', bob)).entitlements).toEqual([]);
  });

  it('sees its invoices with page and PDF, no drafts, and the next invoice', async () => {
    const lines = [{ description: 'Setup', unitPrice: 1 }];
    await create('/v1/invoices', { customerId: 'ada', lines, draft: true });
    const { data } = await read('/v1/portal/invoices');
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      status: 'paid',
      total: 10,
      amountPaid: 10,
      amountDue: 0,
      currency: 'USD',
    });
    for (const url of [data[0].pageUrl, data[0].pdfUrl] as string[])
      expect(url).toMatch(/\/i\/[^/]+(\/pdf)?$/);
    await clientOf(system.url).get(new URL(data[0].pageUrl).pathname).expect(200);
    expect((await read('/v1/portal/invoices?status=open')).data).toEqual([]);
    await portal.get('/v1/portal/invoices?customer_id=bob').expect(400);
    const bob = await portalOf({ customerId: 'bob' });
    expect((await read('/v1/portal/invoices', bob)).data).toEqual([]);
    // The balance pays 2, and a transfer 5.
    await post('/v1/customers/bob/balance', { amount: 2, currency: 'USD', reason: 'Goodwill' });
    const setup = [{ description: 'Setup', unitPrice: 10 }];
    const { id } = await create('/v1/invoices', { customerId: 'bob', lines: setup, draft: true });
    await post(`/v1/invoices/${id}/approve`);
    await create(`/v1/invoices/${id}/payments`, { method: 'bank_transfer', amount: 5 });
    expect((await read('/v1/portal/invoices', bob)).data).toMatchObject([
      { status: 'open', total: 10, balanceApplied: 2, amountPaid: 5, amountDue: 3 },
    ]);
    const upcoming = await read('/v1/portal/upcoming');
    const computed = await post(`/v1/subscriptions/${ids.subscription}/invoices/compute`);
    expect(upcoming).toMatchObject({ total: computed.total, billedAt: computed.billedAt, amountDue: 14.5 });
    expect(await codeOf(bob.get('/v1/portal/upcoming'), 404)).toBe('no_subscription');
    await bob.get(`/v1/portal/upcoming?subscriptionId=${ids.subscription}`).expect(404);
  });
});

describe('a purchase of credits', () => {
  it('has the price of the credit type, is charged, and makes the balance', async () => {
    const buy = (body: object, client = portal) => client.post('/v1/portal/wallets/tokens/purchase', body);
    for (const field of ['unitPrice', 'expiresAt', 'currency', 'description', 'customerId'])
      await buy({ credits: 1, [field]: 0.0001 }).expect(400);
    const { body: bought } = await buy({ credits: 100, idempotencyKey: 'order-1' }).expect(201);
    expect(bought).toMatchObject({
      creditType: 'tokens',
      status: 'active',
      credits: 100,
      unitPrice: 0.02,
      total: 2,
      invoice: { status: 'paid', pageUrl: expect.stringContaining('/i/') },
      payment: { status: 'succeeded', message: null },
    });
    const { body: again } = await buy({ credits: 100, idempotencyKey: 'order-1' }).expect(201);
    expect(again.id).toBe(bought.id);
    // The same key of the seller is another one.
    const order = { credits: 1, collection: 'send_invoice', idempotencyKey: 'order-1' };
    const sold = await create('/v1/customers/ada/wallets/tokens/purchases', order);
    expect(sold.id).not.toBe(bought.id);
    const { data: wallets } = await read('/v1/portal/wallets');
    expect(wallets).toMatchObject([{ creditType: 'tokens', name: 'Tokens', balance: 150, unitPrice: 0.02 }]);
    const { data: credits } = await read('/v1/portal/credits');
    expect(credits.map(({ type, amount }: { type: string; amount: number }) => [type, amount])).toEqual([
      ['purchased', 100],
      ['granted', 50],
    ]);
    expect(JSON.stringify({ wallets, credits })).not.toMatch(/costBasis|internal note|description/);
    expect((await read('/v1/portal/credits?creditType=other')).data).toEqual([]);
    const bob = await portalOf({ customerId: 'bob', allowCreditPurchases: true });
    expect((await read('/v1/portal/wallets', bob)).data).toMatchObject([{ balance: 0, blocks: [] }]);
    const { body: refused } = await buy({ credits: 1 }, bob).expect(409);
    expect(refused).toMatchObject({
      code: 'no_payment_method',
      error: expect.stringContaining('/v1/portal/payment-methods'),
    });
    const { body: audit } = await workspace.session.get('/v1/audit?resourceType=wallet').expect(200);
    const actors = audit.data.map(({ actor }: { actor: object }) => actor);
    expect(actors).toContainEqual({ type: 'customer', id: 'ada' });
  });
});

describe('a change of plan', () => {
  it('is offered between the public plans of one currency', async () => {
    const { data } = await read('/v1/portal/plans');
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ id: ids.pro, name: 'Pro', currency: 'USD', features: [] });
    expect(data[0].prices.map(({ name, metricName }: Record<string, unknown>) => [name, metricName])).toEqual(
      [
        ['Pro fee', null],
        ['Calls', 'call'],
      ],
    );
    const { data: all } = await get('/v1/plans');
    const idOf = (name: string) => all.find((one: { name: string }) => one.name === name).id;
    const refused = async (name: string, status: number) =>
      codeOf(portal.get(`/v1/portal/plan-change/preview?planId=${idOf(name)}`), status);
    expect(await refused('Basic', 400)).toBe('plan_unchanged');
    expect(await refused('Hidden', 404)).toBe('plan_not_found');
    expect(await refused('Euro', 400)).toBe('validation_failed');
  });

  it('needs the subscription if there are several, and lists them', async () => {
    const subscribe = () => create('/v1/subscriptions', { customerId: 'bob', planId: ids.basic });
    const [one, two] = [(await subscribe()).id, (await subscribe()).id];
    const bob = await portalOf({ customerId: 'bob', allowPlanChanges: true });
    const { body } = await bob.post('/v1/portal/plan-change', { planId: ids.pro }).expect(400);
    expect(body).toMatchObject({ code: 'subscription_required', details: [{ field: 'subscriptionId' }] });
    for (const id of [one, two]) expect(body.error).toContain(`${id} (Basic)`);
    const named = (subscriptionId: string) =>
      bob.post('/v1/portal/plan-change', { planId: ids.pro, subscriptionId });
    await named(ids.subscription).expect(404);
    const { body: done } = await named(two).expect(200);
    expect(done.subscription).toMatchObject({ id: two, planId: ids.pro });
    const { data } = await read('/v1/portal/subscriptions', bob);
    expect(data.map(({ planName }: { planName: string }) => planName)).toEqual(['Basic', 'Pro']);
  });

  it('does what its preview says, under the name of the customer', async () => {
    const preview = await read(`/v1/portal/plan-change/preview?planId=${ids.pro}`);
    expect((await get(`/v1/subscriptions/${ids.subscription}`)).planId).toBe(ids.basic);
    const { body: done } = await portal.post('/v1/portal/plan-change', { planId: ids.pro }).expect(200);
    expect(done).toEqual(preview);
    // For 21 of 31 days 27.10 less 6.77, and 4.50 for the usage of the price that ends.
    expect(done.invoice).toMatchObject({ total: 24.83, periodStart: expect.any(String) });
    const { data } = await get(`/v1/invoices?customer_id=ada&limit=1`);
    const issued = data[0] as { total: number; lines: { description: string; amount: number }[] };
    const amounts = ({ lines }: Pick<typeof issued, 'lines'>) =>
      lines.map(({ description, amount }) => [description, amount]);
    expect(issued.total).toBe(preview.invoice.total);
    expect(amounts(issued)).toEqual(amounts(preview.invoice));
    const { body } = await workspace.session
      .get(`/v1/audit?resourceId=${ids.subscription}&action=subscription.*&limit=1`)
      .expect(200);
    expect(body.data[0].actor).toEqual({ type: 'customer', id: 'ada' });
  });
});

describe('a scheduled change of plan', () => {
  it('is shown, and a switch replaces it', async () => {
    await create('/v1/customers', { id: 'eve', name: 'Eve' });
    const { id } = await create('/v1/subscriptions', { customerId: 'eve', planId: ids.basic });
    const { data: plans } = await get('/v1/plans');
    const hidden = plans.find(({ name }: { name: string }) => name === 'Hidden').id;
    const { amendment } = await post(`/v1/subscriptions/${id}/schedule-amendment`, { planId: hidden });
    const eve = await portalOf({ customerId: 'eve', allowPlanChanges: true });
    const scheduled = {
      id: amendment.id,
      planId: hidden,
      planName: 'Hidden',
      effectiveAt: amendment.effectiveAt,
      atPeriodEnd: true,
    };
    const { data } = await read('/v1/portal/subscriptions', eve);
    expect(data[0].scheduledPlanChanges).toEqual([scheduled]);
    const preview = await read(`/v1/portal/plan-change/preview?planId=${ids.pro}`, eve);
    expect(preview.replacedPlanChanges).toEqual([scheduled]);
    expect(preview.subscription.scheduledPlanChanges).toEqual([]);
    const { body: done } = await eve.post('/v1/portal/plan-change', { planId: ids.pro }).expect(200);
    expect(done).toEqual(preview);
    const { data: amendments } = await get(`/v1/subscriptions/${id}/amendments`);
    expect(amendments).toMatchObject([
      { status: 'applied' },
      { id: amendment.id, status: 'canceled', replacedBy: amendments[0].id },
    ]);
  });
});

describe('units in the portal', () => {
  const limits = { minimum: 2, maximum: 20 };
  let [starter, team, seat, member] = ['', '', '', ''];
  beforeAll(async () => {
    const perSeat = async (name: string, unitPrice: number) => {
      const config = { model: 'unit', unitPrice, currency: 'USD' };
      const price = await create('/v1/prices', { name, timing: 'in_advance', config });
      return [(await create('/v1/plans', { name, prices: [price.id] })).id, price.id] as const;
    };
    [starter, seat] = await perSeat('Starter seat', 10);
    [team, member] = await perSeat('Team seat', 12);
    await create('/v1/customers', { id: 'una', name: 'Una' });
    const quantities = [{ priceId: seat, quantity: 10 }];
    await create('/v1/subscriptions', { customerId: 'una', planId: starter, quantities });
  });
  const change = (client: Client, quantity: unknown, more: object = {}) =>
    client.post('/v1/portal/plan-change', {
      planId: team,
      quantities: [{ priceId: member, quantity }],
      ...more,
    });

  it('are what the customer names, within the limits of the session', async () => {
    const una = await portalOf({ customerId: 'una', allowPlanChanges: true, quantityLimits: limits });
    expect((await read('/v1/portal/config', una)).quantityLimits).toEqual(limits);
    const { data } = await read('/v1/portal/plans', una);
    const offered = data.find(({ id }: { id: string }) => id === team);
    expect(offered.prices).toMatchObject([{ priceId: member, hasUnits: true }]);
    for (const quantity of [1, 21, 2.5]) {
      const { body } = await change(una, quantity).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: 'quantities' }] });
      expect(body.error).toContain('whole numbers from 2 to 20');
    }
    const foreign = { quantities: [{ priceId: seat, quantity: 3 }] };
    expect(await codeOf(change(una, 3, foreign), 400)).toBe('validation_failed');
    const { body: preview } = await change(una, 12, { preview: true }).expect(200);
    expect((await read('/v1/portal/subscriptions', una)).data[0].planId).toBe(starter);
    const { body: done } = await change(una, 12).expect(200);
    expect(done).toEqual(preview);
    expect(done.subscription.prices).toEqual([{ priceId: member, name: 'Team seat', quantity: 12 }]);
    // The whole month of 12 × 12.00 less 10 × 10.00, because the switch is at the instant of the subscription's start.
    expect(done.invoice.total).toBe(44);
  });

  it('are within the limits of the session if the customer names none, too', async () => {
    const una = await portalOf({
      customerId: 'una',
      allowPlanChanges: true,
      quantityLimits: { minimum: 15, maximum: 50 },
    });
    // The present 12 units would go to the new plan.
    for (const more of [{}, { preview: true }, { quantities: [] }]) {
      const { body } = await una.post('/v1/portal/plan-change', { planId: starter, ...more }).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: 'quantities' }] });
      expect(body.error).toContain('from 15 to 50; without it, the switch would have 12');
    }
    expect((await read('/v1/portal/subscriptions', una)).data[0].planId).toBe(team);
    const wide = await portalOf({
      customerId: 'una',
      allowPlanChanges: true,
      quantityLimits: { minimum: 5, maximum: 50 },
    });
    await wide.post('/v1/portal/plan-change', { planId: starter, preview: true }).expect(200);
  });

  it('cannot be named in a session without limits, or limited without switches', async () => {
    const una = await portalOf({ customerId: 'una', allowPlanChanges: true });
    const back = { planId: starter, quantities: [{ priceId: seat, quantity: 3 }] };
    expect(await codeOf(change(una, 3, back), 403)).toBe('quantities_not_allowed');
    for (const body of [
      { quantityLimits: limits },
      { allowPlanChanges: true, quantityLimits: { minimum: 3, maximum: 2 } },
    ]) {
      const refused = await post('/v1/portal/sessions', { customerId: 'una', ...body }, 400);
      expect(refused.details[0].field).toContain('quantityLimits');
    }
  });
});

describe('an Idempotency-Key', () => {
  it('is of one customer, although all of them share a path', async () => {
    const bob = await portalOf({ customerId: 'bob' });
    const add = (client: Client) =>
      client
        .post('/v1/portal/payment-methods', { type: 'test', test: 'pm_card_visa' })
        .set('Idempotency-Key', 'same')
        .expect(201);
    const [mine, theirs, again] = [await add(portal), await add(bob), await add(portal)];
    expect(theirs.headers['idempotency-replayed']).toBeUndefined();
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toEqual(mine.body);
  });
});

describe('a browser', () => {
  /** Sends what a browser sends before a request from a page of another origin. */
  const preflight = (path: string) =>
    new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      const headers = {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      };
      send(`${system.url}${path}`, { method: 'OPTIONS', headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode!, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });

  it('of any origin may call the portal, without cookies, and read its errors', async () => {
    const { status, headers } = await preflight('/v1/portal/plan-change');
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
      'access-control-max-age': '7200',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    for (const [client, expected] of [
      [portal, 200],
      [clientOf(system.url), 401],
    ] as const) {
      const answer = await client.get('/v1/portal/me').set('origin', 'https://shop.example').expect(expected);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('may call nothing else', async () => {
    for (const path of ['/v1/portal/sessions', '/v1/portal/sessions/pses_1', '/v1/customers']) {
      const { status, headers } = await preflight(path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
    const { headers } = await workspace.http.get('/v1/portal/sessions').set('origin', 'https://shop.example');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a token that has expired', () => {
  it('is refused, and its session is no longer listed', async () => {
    const { id, token: own, expiresAt } = await openSession({ customerId: 'ada', expiresInSeconds: 60 });
    await withToken(own).get('/v1/portal/me').expect(200);
    const listed = async () =>
      (await get('/v1/portal/sessions?customerId=ada')).data.map((one: { id: string }) => one.id);
    expect(await listed()).toContain(id);
    const now = jest.spyOn(systemClock, 'now').mockReturnValue(expiresAt as string);
    try {
      expect(await codeOf(withToken(own).get('/v1/portal/me'), 401)).toBe('invalid_credential');
      expect(await listed()).not.toContain(id);
    } finally {
      now.mockRestore();
    }
  });

  it('that an expiring key made is refused with the key', async () => {
    const expiresAt = addSeconds(systemClock.now(), 60);
    const made = await workspace.session
      .post('/v1/api-keys', { name: 'x', role: 'admin', expiresAt })
      .expect(201);
    const key = clientOf(system.url, { 'x-api-key': (made.body as { key: string }).key });
    const session = await key.post('/v1/portal/sessions', { customerId: 'ada' }).expect(201);
    expect((session.body as { expiresAt: string }).expiresAt).toBe(expiresAt);
  });
});

describe('a customer who is being erased', () => {
  it('has no portal from the request on, although its data is still there', async () => {
    await create('/v1/customers', { id: 'erased', name: 'Erased' });
    const { token: own } = await openSession({ customerId: 'erased' });
    // Without the saga no step of the erasure is done.
    await system.saga.get(SagaProcess).stop();
    const { body } = await workspace.session
      .post('/v1/customers/erased/erase', { reason: 'asked for it' })
      .expect(202);
    expect(body.steps[0]).toMatchObject({ step: 'settlement', status: 'in_progress' });
    await withToken(own).get('/v1/portal/me').expect(401);
    expect((await get('/v1/portal/sessions?customerId=erased')).data).toEqual([]);
    const another = workspace.http.post('/v1/portal/sessions', { customerId: 'erased' });
    expect(await codeOf(another, 409)).toBe('customer_being_erased');
    expect((await get('/v1/customers/erased')).name).toBe('Erased');
    await withToken(token).get('/v1/portal/me').expect(200);
  });
});
