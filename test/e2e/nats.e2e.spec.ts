import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { jetstream, type JetStreamClient, type JsMsg } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';
import { createSagaApp } from '#apps/saga';
import { systemClock } from '#libs/kernel/system';
import { PublicEventRelay } from '../../libs/outputs/publishing/public-event-relay.js';
import { untilErased } from '../support/erasure.js';
import { createPool, startSystem, type System, type TestWorkspace } from '../support/index.js';
import { describeWith } from '../support/installed.js';
import { NatsServer } from '../support/nats-server.js';
import { untilReady } from '../support/until-ready.js';

/** The subjects of what is published. */
const PUBLISHED = 'countinghouse.*.*.>';
/** The largest message that the server takes. An event with much metadata does not fit. */
const MAX_PAYLOAD = 8_192;
/** It ends what hangs. */
const TIMEOUT_MILLIS = 120_000;

describeWith('nats-server', 'with NATS', () => {
  let server: NatsServer;
  let system: System;
  let workspace: TestWorkspace;
  let connection: NatsConnection;
  let js: JetStreamClient;

  beforeAll(async () => {
    server = await NatsServer.prepare(MAX_PAYLOAD);
    system = await startSystem({ NATS_URL: server.url, NATS_USAGE: 'true' });
    workspace = await system.workspace();
  });
  afterAll(async () => {
    await connection?.close();
    await system?.stop();
    await server?.remove();
  });

  /** Creates a customer with a subscription, which is a public event. */
  async function subscribe(customerId: string): Promise<string> {
    const { http } = workspace;
    const price = { name: 'Fee', config: { model: 'flat', amount: 20, currency: 'USD' } };
    const { body: fee } = await http.post('/v1/prices', price).expect(201);
    const { body: plan } = await http.post('/v1/plans', { name: 'Pro', prices: [fee.id] }).expect(201);
    await http.post('/v1/customers', { id: customerId, name: customerId }).expect(201);
    const order = { customerId, planId: plan.id };
    return (await http.post('/v1/subscriptions', order).expect(201)).body.id as string;
  }

  const ready = () => untilReady(() => workspace.http.get('/v1/health/ready'));

  /** The stream of these subjects, once the product has made it. */
  async function streamOf(subjects: string): Promise<string> {
    const { streams } = await js.jetstreamManager();
    for (;;) {
      const [name] = await streams.names(subjects).next();
      if (name !== undefined) return name;
    }
  }

  /** The first `count` messages of what is published. */
  async function publishedMessages(count: number): Promise<JsMsg[]> {
    const stream = await streamOf(PUBLISHED);
    const messages: JsMsg[] = [];
    const consumer = await js.consumers.get(stream);
    for await (const message of await consumer.consume()) if (messages.push(message) === count) break;
    return messages;
  }

  /** The id of the newest event of this type. */
  async function eventId(type: string): Promise<string> {
    const store = EventStoreDBClient.connectionString(system.settings.eventStoreUrl!);
    try {
      for await (const { event } of store.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 200 }))
        if (event?.type === type) return event.id;
    } finally {
      await store.dispose();
    }
    throw new Error(`No ${type}`);
  }

  it('works on while the server is away, and says that it is', async () => {
    await subscribe('early');
    const { body } = await ready();
    expect(body).toMatchObject({
      status: 'ok',
      checks: { nats: { status: 'unavailable', message: 'not reachable' } },
    });
  });

  it('publishes what happened meanwhile and what happens, in order, under the ids of the events', async () => {
    const early = await eventId('SubscriptionCreated');
    await server.up();
    connection = await connect({ servers: server.url });
    js = jetstream(connection, { timeout: TIMEOUT_MILLIS });
    const subscriptionId = await subscribe('late');
    const messages = await publishedMessages(4);
    const told = ['customer.created', 'subscription.created'];
    expect(messages.map(({ subject }) => subject)).toEqual(
      [...told, ...told].map((event) => `countinghouse.${workspace.workspaceId}.${event}`),
    );
    const [, first, , second] = messages;
    expect(first!.headers!.get('Nats-Msg-Id')).toBe(early);
    const id = await eventId('SubscriptionCreated');
    expect(second!.headers!.get('Nats-Msg-Id')).toBe(id);
    expect(second!.json()).toMatchObject({
      id,
      event: 'subscription.created',
      timestamp: expect.any(String),
      data: { id: subscriptionId, customerId: 'late', planName: 'Pro' },
    });
  });

  it('publishes an event that does not fit in a message without its details, and then the next events', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`note${n}`, 'x'.repeat(300)]));
    await workspace.http.post('/v1/customers', { id: 'large', name: 'Large', metadata }).expect(201);
    await workspace.http.post('/v1/customers', { id: 'next', name: 'Next' }).expect(201);
    const [large, next] = (await publishedMessages(6)).slice(4);
    expect(large!.json()).toEqual({
      id: large!.headers!.get('Nats-Msg-Id'),
      event: 'customer.created',
      timestamp: expect.any(String),
      data: { id: 'large' },
    });
    expect(large!.headers!.get('Countinghouse-Truncated')).toMatch(/^\d+ bytes$/);
    expect(next!.json()).toMatchObject({ event: 'customer.created', data: { id: 'next', name: 'Next' } });
    const { streams } = await js.jetstreamManager();
    const stream = await streamOf(PUBLISHED);
    // The stream of an operator can have a limit of its own.
    await streams.update(stream, { max_msg_size: 1_024 });
    const longer = {
      id: 'longer',
      name: 'Longer',
      metadata: { note: 'x'.repeat(500), other: 'x'.repeat(500) },
    };
    await workspace.http.post('/v1/customers', longer).expect(201);
    expect((await publishedMessages(7))[6]!.json()).toMatchObject({ data: { id: 'longer' } });
  });

  it('lets an erasure wait for what was read with the key of the person and is published later', async () => {
    const gate = Promise.withResolvers<void>();
    const { send } = PublicEventRelay.prototype;
    const read = Promise.withResolvers<void>();
    const held = jest.spyOn(PublicEventRelay.prototype, 'send').mockImplementation(async function (
      this: PublicEventRelay,
      events,
    ) {
      if (events.some(({ data }) => (data as { customerId?: string }).customerId === 'ada')) read.resolve();
      await gate.promise;
      return send.call(this, events);
    });
    const pool = createPool(system.database);
    const { http } = workspace;
    try {
      await http.post('/v1/customers', { id: 'ada', name: 'Ada Lovelace' }).expect(201);
      await read.promise;
      await http.post('/v1/customers/ada/erase', { reason: 'Ticket 4711' }).expect(202);
      const copies = async () =>
        (await pool.query(`SELECT status, last_error AS error FROM saga.tasks WHERE name = 'copies'`))
          .rows[0];
      let task = await copies();
      while (task?.status !== 'done' && !task?.error) task = await copies();
      expect(task.error).toMatch('Not all events are published to NATS');
    } finally {
      gate.resolve();
      held.mockRestore();
      await pool.end();
    }
    await untilErased(system, workspace, 'ada');
    const manager = await js.jetstreamManager();
    const stream = await streamOf(PUBLISHED);
    const { state } = await manager.streams.info(stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++)
      expect((await manager.streams.getMessage(stream, { seq }))?.string() ?? '').not.toContain('Ada');
  });

  it('publishes nothing twice, also when a process repeats what it had not noted', async () => {
    const pool = createPool(system.database);
    const position = async () =>
      (await pool.query<{ position: string | null }>('SELECT position FROM saga.relays')).rows[0]!.position;
    const { streams } = await js.jetstreamManager();
    const stored = async () => (await streams.info(await streamOf(PUBLISHED))).state.messages;
    await system.saga.close();
    const [before, messages] = [await position(), await stored()];
    await pool.query('UPDATE saga.relays SET position = NULL');
    const saga = await createSagaApp(system.settings);
    try {
      while (BigInt((await position()) ?? 0) < BigInt(before!));
    } finally {
      await saga.close();
      await pool.end();
    }
    expect(await stored()).toBe(messages);
  });

  it('takes in usage as POST /v1/events does, and a key counts once for both', async () => {
    const now = systemClock.now();
    const event = { customerId: 'early', eventName: 'call', timestamp: now, idempotencyKey: 'same' };
    await workspace.http.post('/v1/events', event).expect(200);
    const other = { ...event, idempotencyKey: 'other', properties: { units: 3 } };
    await streamOf('countinghouse.usage.*');
    await js.publish(`countinghouse.usage.${workspace.workspaceId}`, JSON.stringify([event, other]));
    const listed = async () =>
      (await workspace.http.get('/v1/events?customer_id=early').expect(200)).body as {
        data: { properties: object }[];
      };
    let { data } = await listed();
    while (data.length < 2) ({ data } = await listed());
    expect(data.map(({ properties }) => properties)).toEqual(expect.arrayContaining([{}, { units: 3 }]));
    // A server that is slow to answer does not make the API less ready.
    while ((await ready()).body.checks.nats.status !== 'ok');
  });
});
