import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import { rebuildReadModels } from '../../apps/cli/projections/rebuild.js';
import { verifyReadModels } from '../../apps/cli/projections/verify.js';
import { EventCodec, PersonalDataVault } from '#libs/kernel/event-store';
import { NatsClient } from '#libs/kernel/nats';
import { vocabulary } from '#libs/manifest';
import {
  createPool,
  recordedEvents,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { addUser } from '../support/second-user.js';
import { verificationOf } from '../support/ledger-verification.js';
import { NatsServer } from '../support/nats-server.js';
import { Receiver } from '../support/receiver.js';

/** Every planted text has this, so that one search finds all that is left. */
const MARK = 'xyzzy';
const word = (name: string): string => `${name}-${MARK}`;

let system: System;
let workspace: TestWorkspace;
let pool: pg.Pool;
let receiver: Receiver;
let nats: NatsServer;
/** The invoice of the subscription's first month, which was paid. */
let paid: { id: string; total: number; number: string };
let manual: string;
let books: unknown;

interface Erasure {
  status: string;
  completedAt: string | null;
  steps: { step: string; status: string }[];
}

beforeAll(async () => {
  nats = await NatsServer.start();
  system = await startSystem({ NATS_URL: nats.url });
  pool = createPool(system.database);
  receiver = await Receiver.start();
  receiver.answer = (request, response) => response.end(request.body);
  workspace = await system.workspace();
  await live();
});
afterAll(async () => {
  await receiver?.close();
  await pool?.end();
  await system?.stop();
  await nats?.remove();
});

describe('POST /v1/customers/:id/erase', () => {
  it('refuses while something is left, and names each', async () => {
    const refused = await workspace.http
      .post('/v1/customers/ada/erase', { reason: 'Ticket 4711' })
      .expect(409);
    expect(refused.body).toMatchObject({
      code: 'customer_not_settled',
      details: [{ field: 'subscriptions' }, { field: 'invoices', message: manual }, { field: 'credits' }],
    });
    await workspace.http
      .post('/v1/customers/ada/erase', { reason: `Request of ${word('Name')}`, force: true })
      .expect(400);
  });

  it('leaves nothing of the person in the database, in events, or in messages to come', async () => {
    expect((await placesWith(MARK)).length).toBeGreaterThan(8);
    expect(await messagesWith(MARK)).toBeGreaterThan(5);
    expect((await eventsWith(MARK)).length).toBeGreaterThan(8);
    const answer = await erase();
    expect(answer).toMatchObject({
      status: 'in_progress',
      steps: [{ step: 'settlement', status: 'in_progress' }, {}, {}, {}, {}, {}],
    });
    const done = await untilErased();
    expect(done.steps.map(({ status }) => status)).toEqual(Array(6).fill('done'));
    expect(await placesWith(MARK)).toEqual([]);
    expect(await eventsWith(MARK)).toEqual([]);
    expect(await messagesWith(MARK)).toBe(0);
  });

  it('keeps invoices and books with their numbers and amounts, and prints documents without the person', async () => {
    const invoice = (await workspace.http.get(`/v1/invoices/${paid.id}`).expect(200)).body as typeof paid;
    expect(invoice).toMatchObject({ number: paid.number, total: paid.total, status: 'paid' });
    await workspace.http.get('/v1/customers/ada').expect(404);
    const pdf = await workspace.http.get(`/v1/invoices/${paid.id}/pdf`).expect(200);
    expect((pdf.body as Buffer).includes(MARK)).toBe(false);
    expect(await accounts()).toEqual(books);
    expect((await workspace.http.get(`/v1/invoices/${manual}`).expect(200)).body).toMatchObject({
      status: 'void',
      lines: [{ description: '[erased]' }],
    });
  });

  it('agrees with the events after it, also in read models that are built again', async () => {
    expect((await verificationOf(system)).found).toEqual([]);
    const env = {
      DATABASE_URL: system.database.url,
      EVENTSTORE_URL: system.node.url,
      DATABASE_POOL_SIZE: '4',
    };
    const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
    expect(await verifyReadModels([], { max: 20, all: true }, env, quiet)).toMatchObject({ differences: 0 });
    await rebuildReadModels([], { all: true, dropOld: true }, env, quiet);
    expect(await placesWith(MARK)).toEqual([]);
  });

  it('changes nothing when it is repeated, and leaves other customers alone', async () => {
    const before = (await recordedEvents(system.node.url)).length;
    expect(await erase()).toMatchObject({ status: 'completed' });
    expect((await recordedEvents(system.node.url)).length).toBe(before);
    expect((await workspace.http.get('/v1/customers/bob').expect(200)).body).toMatchObject({ name: 'Bob' });
  });
});

/** Plants a word wherever a text about a customer can be given, and lets a month of business pass. */
async function live(): Promise<void> {
  const { http, session } = workspace;
  await http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
  await session.post('/v1/webhooks', { url: receiver.url, events: ['*'] }).expect(201);
  const metric = await create('/v1/metrics', {
    name: 'call',
    aggregation: { type: 'sum', property: 'units', groupBy: ['region'] },
  });
  await create('/v1/metrics', {
    name: 'people',
    eventName: 'call',
    aggregation: { type: 'count_distinct', property: 'user' },
  });
  const price = await create('/v1/prices', {
    ...{ name: 'Calls', metricId: metric, cadence: 'usage_based' },
    config: { model: 'unit', unitPrice: 0.5, currency: 'USD' },
  });
  const plan = await create('/v1/plans', { name: 'Plan', prices: [price] });
  await http.post('/v1/customers', { id: 'bob', name: 'Bob' }).expect(201);
  await http
    .post('/v1/customers', {
      ...{ id: 'ada', name: word('Name'), email: `mail@${MARK}.example`, externalId: word('ext') },
      ...{ billingEmail: `bill@${MARK}.example`, poNumber: word('PO'), metadata: { phone: word('phone') } },
      address: { line1: word('street'), city: word('city'), country: 'US' },
      customFields: [{ name: word('field'), value: word('value') }],
    })
    .set('Idempotency-Key', 'customer-of-ada')
    .expect(201);
  const card = await create('/v1/customers/ada/payment-methods', { type: 'test', test: 'pm_card_visa' });
  const subscription = await create('/v1/subscriptions', {
    ...{ customerId: 'ada', planId: plan, externalId: word('sub'), metadata: { note: word('submeta') } },
  });
  await create('/v1/coupons', { id: 'tenth', name: 'Tenth', percentOff: 10 });
  await http.post(`/v1/subscriptions/${subscription}/coupons`, { couponId: 'tenth' }).expect(201);
  await http
    .post('/v1/events', [
      usage('ada', 1, word('user1')),
      usage('ada', 2, word('user2')),
      usage('bob', 5, 'bob'),
    ])
    .expect(200);
  await http
    .post('/v1/credit-types', { type: 'ai', name: 'AI', unitPrice: 0.01, currency: 'USD' })
    .expect(201);
  const wallet = '/v1/customers/ada/wallets/ai';
  const block = await create(`${wallet}/grants`, { amount: 50, description: word('voided') });
  await http.post(`${wallet}/blocks/${block}/void`, { reason: word('why') }).expect(200);
  await create(`${wallet}/grants`, { amount: 100, description: word('grant') });
  await create('/v1/customers/ada/entitlement-grants', { featureId: 'seats', reason: word('reason') });
  await http.post('/v1/sandbox/clock/advance', { to: '2026-02-02T00:00:00Z' }).expect(200);
  const { data } = (await http.get('/v1/invoices?customer_id=ada').expect(200)).body as {
    data: (typeof paid)[];
  };
  paid = data[0]!;
  await http.post(`/v1/invoices/${paid.id}/credit-note`, {
    ...{ reason: 'other', memo: word('memo'), amount: 0.1, to: 'balance' },
  });
  await http.get(`/v1/invoices/${paid.id}/pdf`).expect(200);
  await http.delete(`/v1/customers/ada/payment-methods/${card}`).expect(204);
  manual = await create('/v1/invoices', {
    ...{ customerId: 'ada', currency: 'USD', memo: word('remark') },
    lines: [{ description: word('line'), unitPrice: 3 }],
  });
  books = await accounts();
  // A grant that waits for the approval of a second person.
  await addUser(system, workspace, 'finance');
  const policy = '/v1/approvals/policies/credit.grant';
  await http.put(policy, { enabled: true }).expect(200);
  const type = (await http.get('/v1/credit-types').expect(200)).body.data[0].type as string;
  const held = { amount: 5, description: word('held') };
  await http.post(`/v1/customers/ada/wallets/${type}/grants`, held).expect(202);
  await http.put(policy, { enabled: false }).expect(200);
}

const usage = (customerId: string, units: number, user: string) => ({
  ...{ customerId, eventName: 'call', idempotencyKey: `${user}-key`, timestamp: '2026-01-01T00:00:00Z' },
  properties: { units, user, region: 'eu', nested: { deep: [user] } },
});

async function create(path: string, body: object): Promise<string> {
  return ((await workspace.http.post(path, body).expect(201)).body as { id: string }).id;
}

async function erase(): Promise<Erasure> {
  const body = { reason: 'Ticket 4711', force: true };
  return (await workspace.http.post('/v1/customers/ada/erase', body).expect(202)).body as Erasure;
}

/** Waits for the record of the last step. */
async function untilErased(): Promise<Erasure> {
  const stream = `customerErasure-${workspace.workspaceId}.ada`;
  const steps = system.api.get(EventStoreDBClient, { strict: false }).subscribeToStream(stream);
  for await (const { event } of steps) if ((event?.data as { step?: string }).step === 'copies') break;
  await steps.unsubscribe();
  return erase();
}

/** What the paid invoice of the person did to the accounts. */
async function accounts(): Promise<unknown> {
  const { rows } = await pool.query<{ account: string }>(
    'SELECT account, sum(amount)::text AS amount FROM read.ledger_postings WHERE invoice_id = $1 GROUP BY account ORDER BY account',
    [paid.id],
  );
  return rows;
}

/** The columns of all tables that have a text, as `schema.table.column`. */
async function placesWith(text: string): Promise<string[]> {
  const { rows } = await pool.query<{ place: string; sql: string }>(
    `SELECT format('%s.%s.%s', c.table_schema, c.table_name, c.column_name) AS place,
       format('SELECT FROM %I.%I WHERE %s ILIKE $1 LIMIT 1', c.table_schema, c.table_name,
         CASE WHEN c.data_type = 'bytea' THEN format('encode(%I, ''escape'')', c.column_name)
           ELSE format('%I::text', c.column_name) END) AS sql
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
       AND (c.data_type IN ('text', 'jsonb', 'json', 'bytea', 'ARRAY', 'character varying'))
     ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { place, sql } of rows) if ((await pool.query(sql, [`%${text}%`])).rowCount) found.push(place);
  return found;
}

/** The types of the events that have a text, as every process can read them. */
async function eventsWith(text: string): Promise<string[]> {
  const resolved = (await recordedEvents(system.node.url)).map((event) => ({ event }));
  const events = await new EventCodec(new PersonalDataVault(pool), vocabulary()).decode(resolved);
  return events
    .filter(({ data, metadata }) => JSON.stringify({ data, metadata }).includes(text))
    .map(({ type }) => type);
}

/** The number of published messages in NATS that have a text. */
async function messagesWith(text: string): Promise<number> {
  const manager = await system.saga.get(NatsClient, { strict: false }).jetStream().jetstreamManager();
  const { state } = await manager.streams.info('COUNTINGHOUSE_EVENTS');
  let found = 0;
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage('COUNTINGHOUSE_EVENTS', { seq });
    if (message?.string().includes(text)) found++;
  }
  return found;
}
