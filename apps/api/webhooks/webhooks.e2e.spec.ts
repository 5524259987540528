import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Pool } from 'pg';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { createSagaApp } from '#apps/saga';
import { addSeconds } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { EndpointStore, Redeliverer } from '#libs/outputs/webhooks';
import { personalDataErasers, type PersonalDataEraser } from '#libs/manifest';
import {
  createPool,
  clientOf,
  cutConnections,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { commandContext } from '../../../test/support/command-context.js';
import { advanceClock, createPlan, fee, subscribe } from '../../../test/support/plans.js';
import { Receiver, type Received } from '../../../test/support/receiver.js';
import { until } from '../../../test/support/until.js';
import { untilRead } from '../../../test/support/until-read.js';

let system: System;
let pool: Pool;
let workspace: TestWorkspace;
/** Requests with the user's access token: API keys may not manage webhooks. */
let session: Client;
let receiver: Receiver;
const otherReceivers: Receiver[] = [];

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database, 2);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  session = workspace.session;
  receiver = await Receiver.start();
});
afterEach(async () => {
  for (const one of [receiver, ...otherReceivers.splice(0)]) await one?.close();
});

describe('managing webhooks', () => {
  it('shows the signing secret once', async () => {
    const { body: created } = await session.post('/v1/webhooks', { url: receiver.url }).expect(201);
    const { secret, ...shown } = created;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^wh_[0-9A-Z]{26}$/),
      url: receiver.url,
      events: ['invoice.paid', 'subscription.created'],
      enabled: true,
      disabledReason: null,
      pausedUntil: null,
      previousSecretUntil: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect((await session.get('/v1/webhooks').expect(200)).body).toEqual({ data: [shown], hasMore: false });
    expect((await session.get(`/v1/webhooks/${created.id}`).expect(200)).body).toEqual(shown);
    expect((await session.patch(`/v1/webhooks/${created.id}`, { enabled: false }).expect(200)).body).toEqual({
      ...shown,
      enabled: false,
      disabledReason: 'requested',
    });
  });

  it('changes the URL, the events and whether it is on, and deletes', async () => {
    const { id } = await createWebhook();
    const changes = { url: 'https://hooks.example/new', events: ['*'], enabled: false };
    expect((await session.patch(`/v1/webhooks/${id}`, changes).expect(200)).body).toMatchObject(changes);
    await session.delete(`/v1/webhooks/${id}`).expect(204);
    await session.get(`/v1/webhooks/${id}`).expect(404);
    await session.delete(`/v1/webhooks/${id}`).expect(404);
    expect((await session.get('/v1/webhooks').expect(200)).body).toEqual({ data: [], hasMore: false });
    expect((await pool.query('SELECT 1 FROM webhooks.endpoints WHERE webhook_id = $1', [id])).rowCount).toBe(
      0,
    );
  });

  it('deletes the secret of a deleted webhook when the deletion is repeated, if that failed before', async () => {
    const { id } = await createWebhook();
    const endpoints = system.api.get(EndpointStore, { strict: false });
    const lost = new Error('Connection terminated unexpectedly');
    const failing = jest.spyOn(endpoints, 'deleteEndpointData').mockRejectedValueOnce(lost);
    await session.delete(`/v1/webhooks/${id}`).expect(503);
    failing.mockRestore();
    const secrets = () => pool.query('SELECT 1 FROM webhooks.secrets WHERE webhook_id = $1', [id]);
    expect((await secrets()).rowCount).toBe(1);
    const stranger = await system.workspace();
    await stranger.session.delete(`/v1/webhooks/${id}`).expect(404);
    expect((await secrets()).rowCount).toBe(1);
    await session.delete(`/v1/webhooks/${id}`).expect(404);
    expect((await secrets()).rowCount).toBe(0);
  });

  it('names the events that there are when one is not known', async () => {
    const known =
      'credit.balance_depleted, credit.balance_low, credit.balance_recovered, credit.blocked, credit.expired, credit.grant, credit.purchase_activated';
    for (const events of [
      ['invoice.payed'],
      ['invoice.paid', 7],
      [],
      'invoice.paid',
      ['webhook.test'],
      [null],
    ]) {
      const { body } = await session.post('/v1/webhooks', { url: receiver.url, events }).expect(400);
      expect(body).toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'events', message: expect.stringContaining(known) }],
      });
    }
  });

  it('takes an event that is named twice once', async () => {
    const { id } = await createWebhook({ events: ['invoice.paid', 'invoice.paid'] });
    const { body } = await session.get(`/v1/webhooks/${id}`).expect(200);
    expect(body.events).toEqual(['invoice.paid']);
  });

  it.each([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://169.254.169.254/latest/meta-data/',
    'https://user:pw@hooks.example/',
    'http://hooks.example/',
    'ftp://hooks.example/',
    'no url',
  ])('refuses %s, when changing too', async (url) => {
    const expected = { code: 'validation_failed', details: [{ field: 'url' }] };
    expect((await session.post('/v1/webhooks', { url }).expect(400)).body).toMatchObject(expected);
    const { id } = await createWebhook();
    expect((await session.patch(`/v1/webhooks/${id}`, { url }).expect(400)).body).toMatchObject(expected);
  });

  it('refuses unknown fields and wrong types', async () => {
    await session.post('/v1/webhooks', { url: receiver.url, secret: 'whsec_mine' }).expect(400);
    await session.post('/v1/webhooks', {}).expect(400);
    const { id } = await createWebhook();
    await session.patch(`/v1/webhooks/${id}`, { enabled: 'yes' }).expect(400);
    await session.get(`/v1/webhooks/${id}/deliveries?limit=0`).expect(400);
  });

  it('answers a repeated creation with the first one, its secret included', async () => {
    const create = () =>
      session.post('/v1/webhooks', { url: receiver.url }).set('Idempotency-Key', 'key-1').expect(201);
    const [first, second] = await Promise.all([create(), create()]);
    expect(first.body).toEqual(second.body);
    expect((await session.get('/v1/webhooks').expect(200)).body.data).toHaveLength(1);
  });

  it('has a limit for each workspace', async () => {
    await pool.query(
      `INSERT INTO webhooks.endpoints (webhook_id, workspace_id)
       SELECT 'wh_' || $1 || n, $1 FROM generate_series(1, 49) n`,
      [workspace.workspaceId],
    );
    const answers = await Promise.all(
      [1, 2, 3].map(() => session.post('/v1/webhooks', { url: receiver.url })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('webhook_limit_reached');
  });

  it('does not count creations that failed long ago in the limit, and forgets them', async () => {
    const { id } = await createWebhook();
    await pool.query(
      `INSERT INTO webhooks.endpoints (webhook_id, workspace_id) SELECT 'wh_' || $1 || n, $1 FROM generate_series(1, 49) n`,
      [workspace.workspaceId],
    );
    await pool.query(
      `UPDATE webhooks.endpoints SET created_at = now() - interval '2 hours' WHERE workspace_id = $1`,
      [workspace.workspaceId],
    );
    const { id: other } = await createWebhook();
    const left = await pool.query('SELECT webhook_id AS id FROM webhooks.endpoints WHERE workspace_id = $1', [
      workspace.workspaceId,
    ]);
    expect(left.rows.map((row) => row.id).toSorted()).toEqual([id, other].toSorted());
  });

  it('is for signed-in users: an API key is refused', async () => {
    const { id } = await createWebhook();
    const { http } = workspace;
    const refusals = [
      http.post('/v1/webhooks', { url: receiver.url }),
      http.get('/v1/webhooks'),
      http.get(`/v1/webhooks/${id}`),
      http.patch(`/v1/webhooks/${id}`, { enabled: false }),
      http.delete(`/v1/webhooks/${id}`),
      http.post(`/v1/webhooks/${id}/test`),
      http.post(`/v1/webhooks/${id}/secret/rotate`),
      http.post(`/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }),
      http.get(`/v1/webhooks/${id}/deliveries/evt_1`),
      http.post(`/v1/webhooks/${id}/deliveries/evt_1/retry`),
      http.delete(`/v1/webhooks/${id}/secret/previous`),
      http.get(`/v1/webhooks/${id}/deliveries`),
    ];
    for (const refusal of refusals) await refusal.expect(403);
    await clientOf(system.url).get('/v1/webhooks').expect(401);
    expect((await session.get(`/v1/webhooks/${id}`).expect(200)).body.enabled).toBe(true);
  });

  it("does not know another workspace's webhooks", async () => {
    const { id } = await createWebhook();
    const { session: other } = await system.workspace();
    const misses = [
      other.get(`/v1/webhooks/${id}`),
      other.patch(`/v1/webhooks/${id}`, { enabled: false }),
      other.delete(`/v1/webhooks/${id}`),
      other.post(`/v1/webhooks/${id}/test`),
      other.post(`/v1/webhooks/${id}/secret/rotate`),
      other.post(`/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }),
      other.get(`/v1/webhooks/${id}/deliveries/evt_1`),
      other.post(`/v1/webhooks/${id}/deliveries/evt_1/retry`),
      other.delete(`/v1/webhooks/${id}/secret/previous`),
      other.get(`/v1/webhooks/${id}/deliveries`),
    ];
    for (const miss of misses) expect((await miss.expect(404)).body.code).toBe('webhook_not_found');
    expect((await session.get(`/v1/webhooks/${id}`).expect(200)).body.enabled).toBe(true);
    expect(receiver.connections).toBe(0);
  });
});

describe('what happens in the workspace', () => {
  /** Subscribes a customer to a plan that is billed at once, and pays what is due. */
  async function subscribeAndPay(): Promise<{ customerId: string; subscriptionId: string }> {
    const planId = await createPlan(workspace, fee('Base', 19.9, { timing: 'in_advance' }));
    const { body: customer } = await workspace.http
      .post('/v1/customers', { name: 'Northwind Ltd' })
      .expect(201);
    await workspace.http
      .post(`/v1/customers/${customer.id}/payment-methods`, { type: 'test', test: 'pm_card_visa' })
      .expect(201);
    const { body: subscription } = await workspace.http
      .post('/v1/subscriptions', { customerId: customer.id, planId })
      .expect(201);
    return { customerId: customer.id, subscriptionId: subscription.id };
  }

  it('is told to the endpoints that want to hear of it, signed', async () => {
    const all = await createWebhook({ events: ['*'] });
    const { customerId, subscriptionId } = await subscribeAndPay();
    await receiver.arrived(5);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ event }) => event).sort()).toEqual([
      'customer.created',
      'customer.updated',
      'invoice.created',
      'invoice.paid',
      'subscription.created',
    ]);
    for (const [index, received] of receiver.received.entries()) {
      expect(received.method).toBe('POST');
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Service-Webhook/1.0',
        'x-service-event': bodies[index].event,
        'x-service-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        'x-service-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(isSigned(received, all.secret)).toBe(true);
      expect(received.headers['webhook-id']).toBe(bodies[index].id);
      const headers = received.headers as Record<string, string>;
      expect(new StandardWebhook(all.secret).verify(received.body, headers)).toEqual(bodies[index]);
      expect(Object.keys(bodies[index])).toEqual(['id', 'event', 'timestamp', 'data']);
      expect(bodies[index].id).toMatch(/^evt_01[0-9A-HJKMNP-TV-Z]{24}$/);
    }
    const paid = receiver.received.find(({ headers }) => headers['x-service-event'] === 'invoice.paid')!;
    expect(paid.body).toContain('"total":19.90');
    const told = (name: string) => bodies.find(({ event }) => event === name)!.data;
    expect(told('invoice.paid')).toMatchObject({ customerId, status: 'paid', currency: 'USD' });
    // Nothing has happened to them since, so they are shown as they were then. Nobody who hears of an event has waited for the read models.
    await untilRead(system);
    for (const [name, path] of [
      ['invoice.paid', `/v1/invoices/${told('invoice.paid').id}`],
      ['subscription.created', `/v1/subscriptions/${subscriptionId}`],
      ['customer.updated', `/v1/customers/${customerId}`],
    ] as const)
      expect(told(name)).toEqual((await workspace.http.get(path).expect(200)).body);
    expect(told('invoice.created')).toEqual({
      ...told('invoice.paid'),
      status: 'open',
      amountDue: 19.9,
      amountPaid: 0,
      paidAt: null,
    });
    expect(told('customer.created').defaultPaymentMethodId).toBeNull();
  });

  it('is told of a customer that is deleted, by its id alone, and of a price migration', async () => {
    await createWebhook({
      events: ['customer.deleted', 'price_migration.scheduled', 'price_migration.canceled'],
    });
    const { body: customer } = await workspace.http
      .post('/v1/customers', { name: 'Northwind Ltd' })
      .expect(201);
    await workspace.http.delete(`/v1/customers/${customer.id}`).expect(204);
    await receiver.arrived(1);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      event: 'customer.deleted',
      data: { id: customer.id, deleted: true },
    });
    const [fromPlanId, toPlanId] = [
      await createPlan(workspace, fee('Base', 10)),
      await createPlan(workspace, fee('More', 20)),
    ];
    const { body: migration } = await workspace.http
      .post('/v1/price-migrations', {
        name: 'More for all',
        fromPlanId,
        toPlanId,
        effectiveAt: addSeconds(systemClock.now(), 86_400),
      })
      .expect(201);
    await receiver.arrived(2);
    const listed = Object.entries(migration).filter(
      ([field]) => !['customerIds', 'priceMap'].includes(field),
    );
    expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({
      event: 'price_migration.scheduled',
      data: Object.fromEntries(listed),
    });
  });

  it('is told ahead: of the end of a trial, and of what is due and is not paid', async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    await createWebhook({
      events: ['subscription.trial_ending', 'invoice.due_soon', 'invoice.overdue'],
    });
    const planId = await createPlan(workspace, fee('Base', 10, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { subscription: { trialDays: 14 } });
    // One that pays is not reminded.
    const { body: payer } = await workspace.http.post('/v1/customers', { name: 'Payer' }).expect(201);
    await workspace.http
      .post(`/v1/customers/${payer.id}/payment-methods`, { type: 'test', test: 'pm_card_visa' })
      .expect(201);
    await workspace.http.post('/v1/subscriptions', { customerId: payer.id, planId }).expect(201);
    await advanceClock(workspace, '2026-02-14T12:00:00Z');
    await receiver.arrived(3);
    const told = receiver.received
      .map(({ body }) => JSON.parse(body))
      .toSorted((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
    expect(told.map(({ event, timestamp }) => [event, timestamp])).toEqual([
      ['subscription.trial_ending', '2026-01-12T00:00:00.000Z'],
      ['invoice.due_soon', '2026-02-11T00:00:00.000Z'],
      ['invoice.overdue', '2026-02-14T00:00:00.000Z'],
    ]);
    expect(told[0].data).toMatchObject({ id: subscriptionId, status: 'trialing' });
    expect(told[1].data).toMatchObject({ subscriptionId, status: 'open', amountDue: 10 });
    expect(told[2].data.id).toBe(told[1].data.id);
    expect(new Set(told.map(({ id }) => id)).size).toBe(3);
  });

  it('is told ahead of each invoice that the end of a period brings, once and as compute shows it', async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    await createWebhook({ events: ['invoice.upcoming'] });
    const [base, more] = [
      await createPlan(workspace, fee('Base', 10, { timing: 'in_advance' })),
      await createPlan(workspace, fee('More', 20, { timing: 'in_advance' })),
    ];
    const { subscriptionId } = await subscribe(workspace, base);
    const path = `/v1/subscriptions/${subscriptionId}`;
    // At the very beginning of a period: what its end brings is planned twice.
    await workspace.http.post(`${path}/amend`, { planId: more }).expect(200);
    const advance = (to: string) => advanceClock(workspace, `${to}T00:00:00Z`);
    await advance('2026-01-29');
    await receiver.arrived(1);
    const { body: computed } = await workspace.http.post(`${path}/invoices/compute`).expect(200);
    await advance('2026-02-28');
    await receiver.arrived(2);
    // It ends with nothing left to bill.
    await workspace.http.post(`${path}/cancel`, { cancelAt: '2026-04-01T00:00:00Z' }).expect(200);
    await advance('2026-03-30');
    await createWebhook({ events: ['customer.created'] });
    await workspace.http.post('/v1/customers', { name: 'Last' }).expect(201);
    await receiver.arrived(3);
    const told = receiver.received.map(({ body }) => JSON.parse(body));
    expect(told.map(({ event, timestamp }) => [event, timestamp.slice(0, 10)])).toEqual([
      ['invoice.upcoming', '2026-01-29'],
      ['invoice.upcoming', '2026-02-26'],
      ['customer.created', '2026-03-30'],
    ]);
    expect(told[0].data).toEqual(computed);
    expect(told[0].data).toMatchObject({ total: 20, billedAt: '2026-02-01T00:00:00.000Z' });
  });

  it('is told ahead once of an invoice of several subscriptions, though the first began unheard', async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    await workspace.http.put('/v1/billing-settings', { invoiceGrouping: 'customer' }).expect(200);
    const planId = await createPlan(workspace, fee('Base', 10, { timing: 'in_advance' }));
    const { customerId } = await subscribe(workspace, planId);
    await createWebhook({ events: ['invoice.upcoming'] });
    for (let more = 0; more < 2; more++)
      await workspace.http.post('/v1/subscriptions', { customerId, planId }).expect(201);
    const advance = (to: string) => advanceClock(workspace, `${to}T00:00:00Z`);
    await advance('2026-01-30');
    await receiver.arrived(1);
    await advance('2026-02-27');
    await receiver.arrived(2);
    const told = receiver.received.map(({ body }) => JSON.parse(body));
    expect(told.map(({ timestamp, data }) => [timestamp.slice(0, 10), data.total])).toEqual([
      ['2026-01-29', 30],
      ['2026-02-26', 30],
    ]);
  });

  it('is told to nobody else: not to a disabled endpoint, nor to another workspace, nor unasked', async () => {
    const silent = await Receiver.start();
    const other = await system.workspace();
    await other.session.post('/v1/webhooks', { url: silent.url, events: ['*'] }).expect(201);
    const disabled = await createWebhook({ url: silent.url, events: ['*'] });
    await session.patch(`/v1/webhooks/${disabled.id}`, { enabled: false }).expect(200);
    await createWebhook({ url: silent.url, events: ['usage.limit'] });
    const heard = await createWebhook({ events: ['subscription.created'] });
    const planId = await createPlan(workspace, fee('Base', 10));
    await subscribe(workspace, planId);
    await receiver.arrived(1);
    await deliveriesWhen(heard.id, ({ status }) => status === 'delivered');
    expect(silent.connections).toBe(0);
    await silent.close();
  });

  it('is told to those who were to hear of it when it happened, whatever was changed before it is told', async () => {
    const events = ['customer.created'];
    const [turnedOff, narrowed, leftOff] = [
      await createWebhook({ events }),
      await createWebhook({ events }),
      await createWebhook({ events }),
    ];
    const change = (id: string, changes: object) => session.patch(`/v1/webhooks/${id}`, changes).expect(200);
    const happen = (id: string) => workspace.http.post('/v1/customers', { id, name: 'A' }).expect(201);
    const telling = await holdReactions();
    await happen('heard');
    await change(turnedOff.id, { enabled: false });
    await change(narrowed.id, { events: ['customer.deleted'] });
    await change(leftOff.id, { enabled: false });
    await happen('unheard');
    await change(turnedOff.id, { enabled: true });
    await change(narrowed.id, { events });
    const late = await createWebhook({ events });
    await happen('last');
    await telling.release();
    await receiver.arrived(5);
    const told = async ({ id }: Created) => {
      const { body } = await session.get(`/v1/webhooks/${id}/deliveries`).expect(200);
      const ids = (body as { data: Delivery[] }).data.map((delivery) => delivery.id);
      const sent = receiver.received.map(
        (one) => JSON.parse(one.body) as { id: string; data: { id: string } },
      );
      return sent.flatMap(({ id: deliveryId, data }) => (ids.includes(deliveryId) ? [data.id] : [])).sort();
    };
    expect(await told(turnedOff)).toEqual(['heard', 'last']);
    expect(await told(narrowed)).toEqual(['heard', 'last']);
    expect(await told(late)).toEqual(['last']);
    // It is there to be replayed.
    expect(await deliveriesWhen(leftOff.id, ({ status }) => status === 'failed')).toMatchObject([
      { failure: 'The webhook is disabled', attempts: [] },
    ]);
  });
});

describe('a delivery that is not acknowledged', () => {
  it('is tried again with the same id and body, but signed anew, until it is', async () => {
    const { id, secret } = await createWebhook({ events: ['subscription.created'] });
    const answers = [500, 302, 429, 204];
    receiver.answer = (_, response) => {
      response.writeHead(answers.shift()!, { 'Retry-After': '3600', Location: receiver.url }).end('answer');
    };
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    for (let attempts = 1; attempts <= 3; attempts++) {
      const delivery = await deliveryWhen(id, (newest) => newest.attempts.length === attempts);
      expect(delivery.status).toBe('pending');
      expect(Date.parse(delivery.nextAttemptAt!)).toBeGreaterThan(
        Date.parse(delivery.attempts.at(-1)!.attemptedAt),
      );
      await hasten();
    }
    const delivery = await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      webhookId: id,
      event: 'subscription.created',
      failure: null,
      test: false,
      nextAttemptAt: null,
      attempts: [
        { number: 1, statusCode: 500, error: null, response: 'answer' },
        { number: 2, statusCode: 302, error: expect.stringContaining('Redirects') },
        { number: 3, statusCode: 429, error: null },
        { number: 4, statusCode: 204, error: null, response: null },
      ],
      payload: { id: delivery.id, event: 'subscription.created' },
    });
    const { received } = receiver;
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const [index, one] of received.entries()) {
      const { attemptedAt } = delivery.attempts[index]!;
      expect(one.headers['x-service-timestamp']).toBe(`${attemptedAt.slice(0, 19)}Z`);
      expect(isSigned(one, secret)).toBe(true);
    }
  });

  it('does not hold up what is for others', async () => {
    const slow = await Receiver.start();
    const gate = Promise.withResolvers<void>();
    slow.answer = (_, response) => void gate.promise.then(() => response.end());
    await createWebhook({ url: slow.url, events: ['*'] });
    await createWebhook({ events: ['subscription.created'] });
    const planId = await createPlan(workspace, fee('Base', 10));
    await Promise.all(Array.from({ length: 12 }, () => subscribe(workspace, planId)));
    await receiver.arrived(12);
    await slow.arrived(4);
    expect(slow.connections).toBe(4);
    gate.resolve();
    await slow.arrived(12);
    await slow.close();
  });

  it('of 384 to 48 silent endpoints of one workspace holds up no other workspace', async () => {
    const silent = await startAnotherReceiver();
    const gate = Promise.withResolvers<void>();
    silent.answer = (_, response) => void gate.promise.then(() => response.end());
    for (let n = 0; n < 48; n++) await createWebhook({ url: silent.url, events: ['subscription.created'] });
    const planId = await createPlan(workspace, fee('Base', 10));
    for (let n = 0; n < 8; n++) await subscribe(workspace, planId);
    // As many as the workspace may have at a time, none of which is answered.
    await silent.arrived(64);

    const other = await system.workspace();
    await other.session.post('/v1/webhooks', { url: receiver.url }).expect(201);
    await subscribe(other, await createPlan(other, fee('Base', 10)));
    await receiver.arrived(1);
    gate.resolve();
    await silent.arrived(48 * 8);
  });

  it('is dropped when its endpoint is turned off or deleted meanwhile', async () => {
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = (_, response) => response.writeHead(500).end();
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    await deliveriesWhen(id, ({ attempts }) => attempts.length === 1);
    await session.patch(`/v1/webhooks/${id}`, { enabled: false }).expect(200);
    await hasten();
    const delivery = await deliveryWhen(id, ({ status }) => status === 'failed');
    expect(delivery).toMatchObject({ failure: 'The webhook is disabled', nextAttemptAt: null });
    expect(delivery.attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('is failed after eight attempts, and an endpoint that nothing has reached for five days is disabled', async () => {
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = (_, response) => response.writeHead(503).end();
    const planId = await createPlan(workspace, fee('Base', 10));
    /** Makes each retry due until the nth delivery of the endpoint has failed, whether the endpoint is paused meanwhile or not. */
    const failed = async (nth: number): Promise<Delivery> => {
      for (;;) {
        const deliveries = await deliveriesWhen(id, () => true);
        if (deliveries.length === nth && deliveries[0]!.status === 'failed') return deliveries[0]!;
        await hasten();
      }
    };
    await subscribe(workspace, planId);
    const first = await failed(1);
    expect(first).toMatchObject({ failure: 'None of 8 attempts was acknowledged', nextAttemptAt: null });
    expect(first.attempts).toHaveLength(8);
    expect((await session.get(`/v1/webhooks/${id}`).expect(200)).body.enabled).toBe(true);

    await pool.query(
      `UPDATE webhooks.endpoints SET failing_since = failing_since - interval '5 days' WHERE webhook_id = $1`,
      [id],
    );
    await subscribe(workspace, planId);
    await failed(2);
    for (;;) {
      const { body } = await session.get(`/v1/webhooks/${id}`).expect(200);
      if (body.disabledReason === 'failing') break;
      await pool.query('SELECT pg_sleep(0.02)');
    }

    receiver.answer = (_, response) => response.end();
    await session.patch(`/v1/webhooks/${id}`, { enabled: true }).expect(200);
    await subscribe(workspace, planId);
    const deliveries = await deliveriesWhen(id, ({ status }) => status === 'delivered');
    expect(deliveries.map(({ status }) => status)).toEqual(['delivered', 'failed', 'failed']);
  });
});

describe('an endpoint that keeps failing', () => {
  const pausedUntil = async (id: string): Promise<string | null> =>
    (await session.get(`/v1/webhooks/${id}`).expect(200)).body.pausedUntil;
  /** Looks again until the endpoint is paused, or no longer. */
  async function untilPaused(id: string, isPaused: boolean): Promise<void> {
    while (((await pausedUntil(id)) !== null) !== isPaused) await pool.query('SELECT pg_sleep(0.02)');
  }
  const idle = async (): Promise<void> => {
    const underWay = `SELECT FROM saga.tasks WHERE process = 'webhooks' AND status = 'running'`;
    while ((await pool.query(underWay)).rowCount! > 0) await pool.query('SELECT pg_sleep(0.02)');
  };
  /** The deliveries of the endpoint when none of them is pending. `meanwhile` is done before each look. */
  const attempted = (id: string, meanwhile: () => Promise<unknown> = async () => undefined) =>
    until(
      async () => {
        await meanwhile();
        return deliveriesWhen(id, () => true);
      },
      (deliveries) => deliveries.every(({ status }) => status !== 'pending'),
    );
  const fails = (_: Received, response: ServerResponse) => void response.writeHead(500).end();

  /** An endpoint that was paused when five attempts had failed in half a minute, with more deliveries than it was sent. */
  async function pausedWebhook(deliveries: number): Promise<string> {
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = fails;
    const planId = await createPlan(workspace, fee('Base', 10));
    await subscribe(workspace, planId);
    // The failure is noted a moment after the attempt.
    const longAgo = `UPDATE webhooks.endpoints SET failing_since = failing_since - interval '30 seconds'
      WHERE webhook_id = $1 AND failing_since IS NOT NULL`;
    while ((await pool.query(longAgo, [id])).rowCount === 0) await pool.query('SELECT pg_sleep(0.02)');
    for (let n = 1; n < deliveries; n++) await subscribe(workspace, planId);
    await untilPaused(id, true);
    while ((await deliveriesWhen(id, () => true)).length < deliveries)
      await pool.query('SELECT pg_sleep(0.02)');
    // Until the test says that it is over, however long the test takes.
    await pool.query(`UPDATE saga.queue_holds SET until = now() + interval '1 hour' WHERE queue = $1`, [id]);
    await idle();
    return id;
  }

  it('is sent one delivery at a time, and all when it answers again', async () => {
    const id = await pausedWebhook(12);
    const sent = receiver.received.length;
    // Others may have been under way when the fifth failed.
    expect(sent).toBeLessThanOrEqual(8);

    const probe = Promise.withResolvers<ServerResponse>();
    receiver.answer = (_, response) => {
      receiver.answer = fails;
      probe.resolve(response);
    };
    await hasten();
    const held = await probe.promise;
    // A test is not held, so work went on while the probe is, and nothing else was sent.
    expect((await session.post(`/v1/webhooks/${id}/test`).expect(200)).body.status).toBe('failed');
    expect(receiver.received).toHaveLength(sent + 2);
    expect(await pausedUntil(id)).not.toBeNull();

    receiver.answer = (_, response) => response.end();
    held.end();
    await untilPaused(id, false);
    await idle();
    await hasten();
    for (;;) {
      const deliveries = await deliveriesWhen(id, () => true);
      if (deliveries.every(({ status }) => status === 'delivered' || status === 'failed')) break;
      await hasten();
    }
    expect(
      (await deliveriesWhen(id, () => true)).filter(({ status }) => status === 'delivered'),
    ).toHaveLength(12);
  });

  it('is sent everything again when a test reaches it, or when it is enabled', async () => {
    for (const act of [
      (id: string) => session.post(`/v1/webhooks/${id}/test`).expect(200),
      (id: string) => session.patch(`/v1/webhooks/${id}`, { enabled: true }).expect(200),
    ]) {
      const id = await pausedWebhook(12);
      receiver.answer = (_, response) => response.end();
      await act(id);
      expect(await pausedUntil(id)).toBeNull();
      await deliveriesWhen(id, ({ status }) => status === 'delivered');
      await session.delete(`/v1/webhooks/${id}`).expect(204);
    }
  });

  it("is sent what is due in a sandbox when it goes on and the sandbox's clock is moved", async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    for (const [act, to] of [
      // A pause that a user ends.
      [(id: string) => session.patch(`/v1/webhooks/${id}`, { enabled: true }).expect(200), '2026-01-05'],
      // A pause that the next acknowledged delivery ends.
      [() => wakeQueues(), '2026-01-10'],
    ] as const) {
      const id = await pausedWebhook(9);
      receiver.answer = (_, response) => response.end();
      await act(id);
      await advanceClock(workspace, `${to}T00:00:00Z`);
      const deliveries = await attempted(id);
      expect(deliveries.map(({ failure }) => failure)).toEqual(Array(9).fill(null));
      expect(await pausedUntil(id)).toBeNull();
      await session.delete(`/v1/webhooks/${id}`).expect(204);
    }
  });

  it("is sent what became due in a sandbox while it was paused and the sandbox's clock was moved", async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    const id = await pausedWebhook(9);
    await advanceClock(workspace, '2026-01-05T00:00:00Z');
    receiver.answer = (_, response) => response.end();
    await wakeQueues();
    const deliveries = await attempted(id, wakeQueues);
    expect(deliveries.map(({ failure }) => failure)).toEqual(Array(9).fill(null));
  });

  it("is sent in a sandbox what is due after it was off, when the sandbox's clock is moved", async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = fails;
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    await deliveryWhen(id, ({ attempts }) => attempts.length === 1);
    receiver.answer = (_, response) => response.end();
    await session.patch(`/v1/webhooks/${id}`, { enabled: false }).expect(200);
    await session.patch(`/v1/webhooks/${id}`, { enabled: true }).expect(200);
    await advanceClock(workspace, '2026-01-01T00:01:00Z');
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('fails what it could not be sent for as long as deliveries are retried', async () => {
    const id = await pausedWebhook(9);
    const sent = receiver.received.length;
    await planRetries(`now() - interval '31 hours'`);
    await wakeQueues();
    for (;;) {
      const deliveries = await deliveriesWhen(id, () => true);
      if (deliveries.every(({ status }) => status === 'failed')) break;
      await pool.query('SELECT pg_sleep(0.02)');
    }
    const [newest] = await deliveriesWhen(id, () => true);
    expect(newest).toMatchObject({ failure: 'No attempt reached the webhook during the time for retries' });
    expect(receiver.received).toHaveLength(sent);
  });

  it('is still sent what it has put off with Retry-After for longer than the retries take otherwise', async () => {
    const id = await pausedWebhook(6);
    const sent = receiver.received.length;
    receiver.answer = (_, response) => response.end();
    await pool.query(
      `UPDATE webhooks.deliveries SET begun_at = begun_at - interval '60 hours' WHERE webhook_id = $1`,
      [id],
    );
    await hasten();
    const deliveries = await attempted(id);
    expect(deliveries.map(({ failure }) => failure)).toEqual(Array(6).fill(null));
    expect(receiver.received.length).toBeGreaterThan(sent);
  });
});

describe('testing a webhook', () => {
  it('sends a test event the same way and answers with what came of it', async () => {
    const { id, secret } = await createWebhook();
    const { body: delivery } = await session.post(`/v1/webhooks/${id}/test`).expect(200);
    expect(delivery).toMatchObject({
      webhookId: id,
      event: 'webhook.test',
      status: 'delivered',
      test: true,
      attempts: [{ number: 1, statusCode: 200, error: null, response: 'ok' }],
    });
    const received = await receiver.arrived(1);
    expect(received.headers['x-service-event']).toBe('webhook.test');
    expect(isSigned(received, secret)).toBe(true);
    expect(JSON.parse(received.body)).toEqual(delivery.payload);
    expect((await session.get(`/v1/webhooks/${id}/deliveries`).expect(200)).body).toEqual({
      hasMore: false,
      data: [delivery],
    });
  });

  it('sends an example of the event that it is asked for, marked as a test', async () => {
    const { id, secret } = await createWebhook({ events: ['customer.created'] });
    const { body: delivery } = await session
      .post(`/v1/webhooks/${id}/test`, { event: 'invoice.payment_failed' })
      .expect(200);
    expect(delivery).toMatchObject({ event: 'invoice.payment_failed', status: 'delivered', test: true });
    const { headers, body } = await receiver.arrived(1);
    expect(headers).toMatchObject({
      'x-service-event': 'invoice.payment_failed',
      'x-service-test': 'true',
    });
    const { data, ...envelope } = new StandardWebhook(secret).verify(
      body,
      headers as Record<string, string>,
    ) as { data: object };
    expect(envelope).toMatchObject({ id: delivery.id, event: 'invoice.payment_failed' });
    expect(data).toMatchObject({
      status: 'open',
      total: 23.75,
      currency: 'USD',
      attempt: 1,
      lines: [{ amount: 3.75 }, { amount: 20 }],
      failure: { code: 'card_declined' },
    });
    const { body: refused } = await session
      .post(`/v1/webhooks/${id}/test`, { event: 'invoice.payed' })
      .expect(400);
    expect(refused.details).toMatchObject([
      { field: 'event', message: expect.stringContaining('invoice.paid') },
    ]);
  });

  it('is attempted once, and reaches a disabled webhook too', async () => {
    const { id } = await createWebhook();
    await session.patch(`/v1/webhooks/${id}`, { enabled: false }).expect(200);
    receiver.answer = (_, response) => response.writeHead(500).end('broken');
    const { body: failed } = await session.post(`/v1/webhooks/${id}/test`).expect(200);
    expect(failed).toMatchObject({
      status: 'failed',
      failure: 'A test is attempted once',
      nextAttemptAt: null,
      attempts: [{ statusCode: 500, response: 'broken' }],
    });
    receiver.answer = (_, response) => response.end();
    expect((await session.post(`/v1/webhooks/${id}/test`).expect(200)).body.status).toBe('delivered');
  });

  it('lists the newest deliveries first, as many as asked for', async () => {
    const { id } = await createWebhook();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++)
      ids.unshift((await session.post(`/v1/webhooks/${id}/test`).expect(200)).body.id);
    const listed = async (query: string): Promise<string[]> =>
      (await session.get(`/v1/webhooks/${id}/deliveries${query}`).expect(200)).body.data.map(
        (delivery: { id: string }) => delivery.id,
      );
    expect(await listed('')).toEqual(ids);
    expect(await listed('?limit=2')).toEqual(ids.slice(0, 2));
    expect(await listed('?limit=2&offset=2')).toEqual(ids.slice(2));
  });
});

it('reads the body of a listed delivery once, however many attempts it has', async () => {
  const { id } = await createWebhook();
  const { body: test } = await session.post(`/v1/webhooks/${id}/test`).expect(200);
  await pool.query(
    `INSERT INTO webhooks.attempts (delivery_id, number, attempted_at, error, duration_millis)
     SELECT $1, number, '2026-01-01T00:00:00.120Z', 'No answer', 7 FROM generate_series(2, 8) AS number`,
    [test.id],
  );
  const query = jest.spyOn(system.api.get(Pool, { strict: false }), 'query');
  const { body } = await session.get(`/v1/webhooks/${id}/deliveries`).expect(200);
  const results = (await Promise.all(query.mock.results.map(({ value }) => value as unknown))) as {
    rows: object[];
  }[];
  query.mockRestore();
  expect(results.flatMap(({ rows }) => rows).filter((row) => 'body' in row)).toHaveLength(1);
  const { attempts } = body.data[0];
  expect(attempts).toHaveLength(8);
  expect(attempts[0]).toEqual(test.attempts[0]);
  expect(attempts[7]).toEqual({
    number: 8,
    attemptedAt: '2026-01-01T00:00:00.120Z',
    statusCode: null,
    error: 'No answer',
    durationMillis: 7,
    response: null,
  });
});

describe('sending again', () => {
  const refuses = (_: Received, response: ServerResponse) => void response.writeHead(500).end();
  const takes = (_: Received, response: ServerResponse) => void response.end();

  /** An endpoint with so many deliveries, each attempted once and refused. The newest comes first. */
  async function refusedDeliveries(count: number): Promise<{ id: string; deliveries: Delivery[] }> {
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = refuses;
    const planId = await createPlan(workspace, fee('Base', 10));
    let deliveries: Delivery[] = [];
    for (let n = 1; n <= count; n++) {
      await subscribe(workspace, planId);
      await receiver.arrived(n);
      while (deliveries.length < n || deliveries.some(({ attempts }) => attempts.length === 0)) {
        deliveries = await deliveriesWhen(id, () => true);
        await pool.query('SELECT pg_sleep(0.02)');
      }
      // Otherwise a slow machine makes the second attempts while the test still prepares.
      await planRetries(`now() + interval '1 hour'`);
    }
    return { id, deliveries };
  }
  /** Ends deliveries as if none of their attempts had been acknowledged. */
  const fail = (...ids: string[]) =>
    pool.query(
      `UPDATE webhooks.deliveries SET status = 'failed', failure = 'Too often', next_attempt_at = NULL WHERE id = ANY($1)`,
      [ids],
    );
  const one = async (id: string, deliveryId: string): Promise<Delivery> =>
    (await session.get(`/v1/webhooks/${id}/deliveries/${deliveryId}`).expect(200)).body;
  const idsSent = (): string[] => receiver.received.map(({ body }) => JSON.parse(body).id);

  it('attempts a failed delivery anew, under the same id and by the whole schedule', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    const [{ id: deliveryId }] = deliveries as [Delivery];
    await fail(deliveryId);
    const { body: retried } = await session
      .post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`)
      .expect(202);
    expect(retried).toMatchObject({ id: deliveryId, status: 'pending', failure: null });
    const again = await deliveryWhen(id, ({ attempts }) => attempts.length === 2);
    // The second attempt of a round is five seconds after the first.
    expect(delayOf(again)).toBeGreaterThan(4_900);
    expect(delayOf(again)).toBeLessThan(10_000);

    receiver.answer = takes;
    // The task of the first round wakes up too, and finds that it is over.
    await hasten();
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    await hasten();
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(idsSent()).toEqual([deliveryId, deliveryId, deliveryId]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await one(id, deliveryId)).attempts).toHaveLength(3);

    await session.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`).expect(202);
    await receiver.arrived(4);
    expect(idsSent()[3]).toBe(deliveryId);
  });

  it('does not wait for the next attempt, and sends nothing twice when it is asked twice', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    const [{ id: deliveryId }] = deliveries as [Delivery];
    const gate = Promise.withResolvers<void>();
    receiver.answer = (_, response) => void gate.promise.then(() => response.end());
    const retry = () => session.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`).expect(202);
    await Promise.all([retry(), retry()]);
    await receiver.arrived(2);
    await retry();
    await pool.query(
      `UPDATE saga.tasks SET due_at = now() WHERE process = 'webhooks' AND status = 'pending'`,
    );
    await pool.query(`SELECT pg_notify('saga_tasks', '')`);
    await pool.query('SELECT pg_sleep(0.2)');
    gate.resolve();
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('sends nothing twice for a request that read the clock before another one, and comes after it', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    const [{ id: deliveryId }] = deliveries as [Delivery];
    const { api } = system;
    const clock = api.get(WorkspaceClock, { strict: false });
    const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Pick<WorkspaceClock, 'read' | 'now'> = {
      read: async (workspaceId) => {
        const reading = await clock.read(workspaceId);
        read.resolve();
        await release.promise;
        return reading;
      },
      now: async (workspaceId) => (await slow.read(workspaceId)).now,
    };
    const aggregates = api.get(AggregateStore, { strict: false });
    const redelivery = new Redeliverer(pool, aggregates, slow as WorkspaceClock);
    const held = redelivery.retry(commandContext({ workspaceId: workspace.workspaceId }), id, deliveryId);
    await read.promise;
    const gate = Promise.withResolvers<void>();
    receiver.answer = (_, response) => void gate.promise.then(() => response.end());
    await session.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`).expect(202);
    await receiver.arrived(2);
    release.resolve();
    await held;
    gate.resolve();
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    const { rows } = await pool.query('SELECT round FROM webhooks.deliveries WHERE id = $1', [deliveryId]);
    expect(rows).toEqual([{ round: 1 }]);
  });

  it('replays what failed since a moment, but nothing that waits for its next attempt', async () => {
    const { id, deliveries } = await refusedDeliveries(4);
    const [waiting, third, second, first] = deliveries.map((delivery) => delivery.id) as [
      string,
      string,
      string,
      string,
    ];
    await fail(first, second, third);
    const since = (await one(id, second)).createdAt;
    receiver.answer = takes;
    const replay = async (body: object): Promise<number> =>
      (await session.post(`/v1/webhooks/${id}/replay`, body).expect(202)).body.deliveries;
    expect(await replay({ since })).toBe(2);
    expect(await replay({ since })).toBe(0);
    await receiver.arrived(6);
    expect(idsSent().slice(4).toSorted()).toEqual([second, third].toSorted());
    while ((await one(id, third)).status !== 'delivered' || (await one(id, second)).status !== 'delivered')
      await pool.query('SELECT pg_sleep(0.02)');
    expect(await replay({ since, status: 'delivered', until: since })).toBe(1);
    await receiver.arrived(7);
    expect(idsSent()[6]).toBe(second);
    expect((await one(id, first)).status).toBe('failed');
    expect((await one(id, waiting)).status).toBe('pending');
  });

  it('sends nothing twice for a replay that is repeated after its answer was lost', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    const [{ id: deliveryId, createdAt: since }] = deliveries as [Delivery];
    receiver.answer = takes;
    await session.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`).expect(202);
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    const redelivery = system.api.get(Redeliverer, { strict: false });
    const context = commandContext({ workspaceId: workspace.workspaceId });
    const replay = () => redelivery.replay(context, id, { since, status: 'delivered' });
    expect(await replay()).toBe(1);
    await deliveryWhen(id, ({ attempts }) => attempts.length === 3);
    expect(await replay()).toBe(1);
    expect((await one(id, deliveryId)).status).toBe('delivered');
    expect(receiver.received).toHaveLength(3);
  });

  it('sends a delivery whose task was given up because of an internal error', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    receiver.answer = takes;
    await planRetries(`now() - interval '1 hour'`);
    await pool.query(`UPDATE saga.tasks SET status = 'failed' WHERE payload->>'deliveryId' = $1`, [
      deliveries[0]!.id,
    ]);
    await session.post(`/v1/webhooks/${id}/deliveries/${deliveries[0]!.id}/retry`).expect(202);
    await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('waits in line at a paused endpoint', async () => {
    const { id, deliveries } = await refusedDeliveries(3);
    await fail(...deliveries.map((delivery) => delivery.id));
    await pool.query(
      `INSERT INTO saga.queue_holds (process, workspace_id, queue, until)
       VALUES ('webhooks', $1, $2, now() + interval '1 hour')`,
      [workspace.workspaceId, id],
    );
    receiver.answer = takes;
    await session.post(`/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }).expect(202);
    await session.post(`/v1/webhooks/${id}/deliveries/${deliveries[0]!.id}/retry`).expect(202);
    await pool.query('SELECT pg_sleep(0.3)');
    expect(receiver.received).toHaveLength(3);
    await session.patch(`/v1/webhooks/${id}`, { enabled: true }).expect(200);
    await receiver.arrived(6);
    for (const { id: deliveryId } of deliveries)
      while ((await one(id, deliveryId)).status !== 'delivered') await pool.query('SELECT pg_sleep(0.02)');
    expect(receiver.received).toHaveLength(6);
  });

  it('is refused where nothing would be sent, or too much', async () => {
    const { id, deliveries } = await refusedDeliveries(1);
    const { body: test } = await session.post(`/v1/webhooks/${id}/test`).expect(200);
    const retry = (deliveryId: string) => session.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`);
    expect((await retry(test.id).expect(409)).body.code).toBe('delivery_is_test');
    expect((await retry('evt_unknown').expect(404)).body.code).toBe('delivery_not_found');
    const { id: other } = await createWebhook();
    await session.get(`/v1/webhooks/${other}/deliveries/${deliveries[0]!.id}`).expect(404);
    await session.post(`/v1/webhooks/${other}/deliveries/${deliveries[0]!.id}/retry`).expect(404);
    await session.post(`/v1/webhooks/${id}/replay`, { since: 'yesterday' }).expect(400);
    await session.post(`/v1/webhooks/${id}/replay`, {}).expect(400);
    const since = '2026-01-01T00:00:00Z';
    await session.post(`/v1/webhooks/${id}/replay`, { since, status: 'pending' }).expect(400);
    await pool.query(
      `INSERT INTO webhooks.deliveries (id, workspace_id, webhook_id, event, body, is_test, status, created_at)
       SELECT $1 || n, $2, $1, 'invoice.paid', '{}', false, 'failed', now() FROM generate_series(1, 10001) n`,
      [id, workspace.workspaceId],
    );
    const { body } = await session.post(`/v1/webhooks/${id}/replay`, { since }).expect(400);
    expect(body.code).toBe('replay_too_large');
    await session.patch(`/v1/webhooks/${id}`, { enabled: false }).expect(200);
    expect((await session.post(`/v1/webhooks/${id}/replay`, { since }).expect(409)).body.code).toBe(
      'webhook_disabled',
    );
    expect((await retry(deliveries[0]!.id).expect(409)).body.code).toBe('webhook_disabled');
  });

  it('begins with what is listed by status, event and time', async () => {
    const { id, deliveries } = await refusedDeliveries(2);
    const [newer, older] = deliveries as [Delivery, Delivery];
    await fail(older.id);
    const { body: test } = await session.post(`/v1/webhooks/${id}/test`).expect(200);
    const listed = async (query: string): Promise<string[]> =>
      (await session.get(`/v1/webhooks/${id}/deliveries?${query}`).expect(200)).body.data.map(
        (delivery: Delivery) => delivery.id,
      );
    expect(await listed('status=pending')).toEqual([newer.id]);
    expect(await listed('status=failed')).toEqual([test.id, older.id]);
    expect(await listed('status=failed&event=subscription.created')).toEqual([older.id]);
    expect(await listed('event=webhook.test')).toEqual([test.id]);
    expect(await listed(`since=${newer.createdAt}&limit=1&offset=1`)).toEqual([newer.id]);
    expect(await listed(`since=${older.createdAt}&until=${older.createdAt}`)).toEqual([older.id]);
    for (const wrong of [
      'status=lost',
      'event=invoice.payed',
      'since=today',
      `since=2026-02-01&until=2026-01-01`,
    ])
      await session.get(`/v1/webhooks/${id}/deliveries?${wrong}`).expect(400);
  });
});

describe('a delivery in a sandbox', () => {
  const start = '2026-01-01T00:00:00.000Z';
  const advance = (to: string) => advanceClock(workspace, to);

  it("is retried by the sandbox's clock", async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: start }).expect(200);
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = (_, response) => response.writeHead(500).end();
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    const waiting = await deliveryWhen(id, ({ attempts }) => attempts.length === 1);
    expect(delayOf(waiting, start)).toBeGreaterThan(4_900);
    expect(delayOf(waiting, start)).toBeLessThan(10_000);

    await advance(waiting.nextAttemptAt!);
    const second = await deliveryWhen(id, ({ attempts }) => attempts.length === 2);
    expect(delayOf(second, waiting.nextAttemptAt!)).toBeGreaterThan(299_900);
    expect(delayOf(second, waiting.nextAttemptAt!)).toBeLessThan(360_000);

    // Each attempt is made as if the clock had not gone beyond its time.
    await advance('2026-01-03T00:00:00Z');
    expect(await deliveryWhen(id, ({ status }) => status === 'failed')).toMatchObject({
      failure: 'None of 8 attempts was acknowledged',
    });
    expect(receiver.received).toHaveLength(8);
  });

  it('does not hold up the clock, though its receiver does not answer', async () => {
    await workspace.http.put('/v1/sandbox/clock', { now: start }).expect(200);
    const { id } = await createWebhook({ events: ['subscription.created'] });
    receiver.answer = (_, response) => response.writeHead(500).end();
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    await deliveryWhen(id, ({ attempts }) => attempts.length === 1);
    const gate = Promise.withResolvers<void>();
    receiver.answer = (_, response) => void gate.promise.then(() => response.end());
    await advance('2026-01-01T00:01:00Z');
    await receiver.arrived(2);
    await advance('2026-03-01T00:00:00Z');
    expect((await deliveryWhen(id, () => true)).status).toBe('pending');
    gate.resolve();
    await deliveryWhen(id, ({ status }) => status === 'delivered');
  });
});

describe('rotating the secret of a webhook', () => {
  /** What a test of the endpoint arrives as. */
  async function tested(id: string): Promise<Received> {
    await session.post(`/v1/webhooks/${id}/test`).expect(200);
    return receiver.received.at(-1)!;
  }
  const isGenuine = ({ headers, body }: Received, secret: string): boolean => {
    try {
      new StandardWebhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  it('has the old and the new one sign until the old one is ended', async () => {
    const { id, secret: old } = await createWebhook();
    const before = addSeconds(systemClock.now(), 86_400);
    const { body: rotated } = await session.post(`/v1/webhooks/${id}/secret/rotate`).expect(200);
    const { secret, ...shown } = rotated;
    expect(secret).not.toBe(old);
    expect(shown.previousSecretUntil >= before).toBe(true);
    expect((await session.get(`/v1/webhooks/${id}`).expect(200)).body).toEqual(shown);

    const both = await tested(id);
    expect([isGenuine(both, old), isGenuine(both, secret), isSigned(both, old)]).toEqual([true, true, true]);
    expect((await session.post(`/v1/webhooks/${id}/secret/rotate`).expect(409)).body.code).toBe(
      'secret_rotation_under_way',
    );

    await session.delete(`/v1/webhooks/${id}/secret/previous`).expect(204);
    await session.delete(`/v1/webhooks/${id}/secret/previous`).expect(204);
    const one = await tested(id);
    expect([isGenuine(one, old), isGenuine(one, secret), isSigned(one, secret)]).toEqual([false, true, true]);
    expect((await session.get(`/v1/webhooks/${id}`).expect(200)).body.previousSecretUntil).toBeNull();
    const kept = await pool.query('SELECT secret FROM webhooks.secrets WHERE webhook_id = $1', [id]);
    expect(kept.rows).toEqual([{ secret }]);
  });

  it('ends the old one at once where no overlap is wanted, and by itself when the overlap is over', async () => {
    const { id, secret: first } = await createWebhook();
    const rotate = async (overlapSeconds: number): Promise<string> =>
      (await session.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds }).expect(200)).body.secret;
    const second = await rotate(0);
    const one = await tested(id);
    expect([isGenuine(one, first), isGenuine(one, second)]).toEqual([false, true]);
    const third = await rotate(1);
    await pool.query('SELECT pg_sleep(1.1)');
    const other = await tested(id);
    expect([isGenuine(other, second), isGenuine(other, third)]).toEqual([false, true]);
    await session.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds: 604_801 }).expect(400);
  });

  it('answers a repeated rotation with the same secret', async () => {
    const { id } = await createWebhook();
    const rotate = () =>
      session.post(`/v1/webhooks/${id}/secret/rotate`).set('Idempotency-Key', 'rotate-1').expect(200);
    const [first, second] = await Promise.all([rotate(), rotate()]);
    expect(first.body).toEqual(second.body);
  });
});

describe('an erasure during a POST', () => {
  it('keeps no answer to the message that it has changed meanwhile', async () => {
    const { id } = await createWebhook({ events: ['customer.created'] });
    const asked = Promise.withResolvers<() => void>();
    receiver.answer = (request, response) => asked.resolve(() => response.end(request.body));
    await workspace.http.post('/v1/customers', { id: 'ada', name: 'Ada' }).expect(201);
    const answer = await asked.promise;
    const { workspaceId } = workspace;
    const person = { workspaceId, customerId: 'ada', ids: new Set(['ada']), position: 0n };
    const eraser = personalDataErasers().find(({ name }) => name === 'DeliveriesEraser')!;
    await system.saga.get<PersonalDataEraser>(eraser, { strict: false }).erase(person);
    answer();
    const delivery = await deliveryWhen(id, ({ status }) => status === 'delivered');
    expect(delivery).toMatchObject({
      attempts: [{ statusCode: 200, response: null }],
      payload: { data: { id: 'ada', name: null } },
    });
  });
});

describe('a sender that is lost', () => {
  it('in the middle of a POST, leaves a delivery that another makes again, under the same id', async () => {
    const { id } = await createWebhook({ events: ['subscription.created'] });
    const lost = Promise.withResolvers<ServerResponse>();
    receiver.answer = (_, response) => {
      receiver.answer = (_again, second) => second.end('the second');
      lost.resolve(response);
    };
    await subscribe(workspace, await createPlan(workspace, fee('Base', 10)));
    const response = await lost.promise;
    // Its connections carry the locks that show it to be alive.
    await cutConnections(pool, 'countinghouse saga');
    const successor = await createSagaApp(system.settings);
    const delivery = await deliveryWhen(id, ({ status }) => status === 'delivered');
    // What it had begun comes to an end after all, and changes nothing.
    response.writeHead(500).end('the first');
    await successor.close();
    await system.saga.close();
    expect(system.failures.splice(0)).toHaveLength(1);

    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second!.body).toBe(first!.body);
    expect(JSON.parse(first!.body)).toMatchObject({ id: delivery.id });
    const after = await deliveryWhen(id, () => true);
    expect(after).toMatchObject({ status: 'delivered', attempts: [{ number: 1, response: 'the second' }] });
  });
});

/** Starts a second receiver, which is closed after the test. */
async function startAnotherReceiver(): Promise<Receiver> {
  const one = await Receiver.start();
  otherReceivers.push(one);
  return one;
}

interface Created {
  id: string;
  secret: string;
}

interface Delivery {
  id: string;
  status: string;
  failure: string | null;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: { attemptedAt: string; durationMillis: number }[];
}

/**
 * The milliseconds from the end of the last attempt of a delivery to its next one. `attemptedAt`: when that was by the workspace's clock.
 */
function delayOf({ nextAttemptAt, attempts }: Delivery, attemptedAt = attempts.at(-1)!.attemptedAt): number {
  return Date.parse(nextAttemptAt!) - Date.parse(attemptedAt) - attempts.at(-1)!.durationMillis;
}

async function createWebhook(body: object = {}): Promise<Created> {
  const { body: created } = await session.post('/v1/webhooks', { url: receiver.url, ...body }).expect(201);
  return created as Created;
}

/** Waits until the newest delivery of an endpoint is as the test wants it. Returns all deliveries. */
async function deliveriesWhen(id: string, isSo: (newest: Delivery) => boolean): Promise<Delivery[]> {
  for (;;) {
    const { body } = await session.get(`/v1/webhooks/${id}/deliveries`).expect(200);
    const { data } = body as { data: Delivery[] };
    if (data[0] && isSo(data[0])) return data;
    await pool.query('SELECT pg_sleep(0.02)');
  }
}

/** Waits until the newest delivery of an endpoint is as the test wants it. Returns that delivery. */
async function deliveryWhen(id: string, isSo: (newest: Delivery) => boolean): Promise<Delivery> {
  return (await deliveriesWhen(id, isSo))[0]!;
}

/** Makes planned retries due now. */
async function hasten(): Promise<void> {
  await planRetries('now()');
  await wakeQueues();
}

/** Ends the pauses of all endpoints. */
async function wakeQueues(): Promise<void> {
  await pool.query(`UPDATE saga.queue_holds SET until = now()`);
  await pool.query(`SELECT pg_notify('saga_tasks', '')`);
}

/**
 * Plans the retries for another time, which is SQL. Waits for running tasks first: an attempt is listed a moment before its task is put
 * back.
 */
async function planRetries(at: string): Promise<void> {
  const underWay = `SELECT FROM saga.tasks WHERE process = 'webhooks' AND status = 'running'`;
  while ((await pool.query(underWay)).rowCount! > 0) await pool.query('SELECT pg_sleep(0.02)');
  await pool.query(`UPDATE webhooks.deliveries SET next_attempt_at = ${at} WHERE status = 'pending'`);
  await pool.query(`UPDATE saga.tasks SET due_at = ${at} WHERE process = 'webhooks' AND status = 'pending'`);
}

/** Keeps events from becoming deliveries until `release` is called. */
async function holdReactions(): Promise<{ release(): Promise<void> }> {
  const client = await pool.connect();
  await client.query('BEGIN; LOCK TABLE saga.tasks IN SHARE MODE');
  return {
    async release() {
      await client.query('COMMIT');
      client.release();
    },
  };
}

/** Checks the signature as the API contract tells a receiver to. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const signed = `${String(headers['x-service-timestamp'])}.${body}`;
  return headers['x-service-signature'] === createHmac('sha256', secret).update(signed).digest('hex');
}
