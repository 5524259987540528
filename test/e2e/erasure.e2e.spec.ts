import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { ProjectorProcess } from '#apps/projector';
import { SagaProcess } from '#apps/saga';
import { EventCodec, PersonalDataVault } from '#libs/kernel/event-store';
import { createLogger } from '#libs/kernel/system';
import { vocabulary } from '#libs/manifest';
import { MailCipher, MailStore } from '#libs/outputs/mail';
import { rebuildReadModels } from '../../apps/cli/projections/rebuild.js';
import { verifyReadModels } from '../../apps/cli/projections/verify.js';
import { startApp, type AppProcess } from '../support/app-process.js';
import { atWrites } from '../support/at-writes.js';
import {
  clientOf,
  createPool,
  isEmbedded,
  itOfNode,
  recordedEvents,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { verificationOf } from '../support/ledger-verification.js';
import { MailServer } from '../support/mail-server.js';
import { NatsServer } from '../support/nats-server.js';
import {
  createPlantedCustomer,
  plantCustomer,
  plantedUsage,
  type PlantedInvoices,
} from '../support/planted-customer.js';
import { untilErased } from '../support/erasure.js';
import { Receiver } from '../support/receiver.js';

/** Every planted text has this, so that one search finds all that is left. */
const MARK = 'xyzzy';
/** A tax id has a form of its own, so it cannot have the mark. */
const TAX_ID = 'DE136695976';
const word = (name: string): string => `${name}-${MARK}`;
const EVENTS = 'COUNTINGHOUSE_EVENTS';
const REJECTED = 'COUNTINGHOUSE_USAGE_REJECTED';
const REWRITE = ['VACUUM (FULL, ANALYZE)', 'VACUUM FULL pg_statistic'];

let system: System;
let workspace: TestWorkspace;
let pool: pg.Pool;
let receiver: Receiver;
let nats: NatsServer;
let natsConnection: NatsConnection;
let mail: MailServer;
/** The programs, each in a process of its own. The node alone is in this one, so that its writes can be held. */
const apps: { api?: AppProcess; projector?: AppProcess; saga?: AppProcess } = {};
/** Requests to the API process, with the workspace's API key and with its user's token. */
let http: Client;
let session: Client;
const PLANTING = {
  word,
  domain: `${MARK}.example`,
  taxId: TAX_ID,
  afterUsage: sendRejectedUsage,
  get webhookUrl() {
    return receiver.url;
  },
};
/** Every line that the programs have logged. */
const logged: string[] = [];
/** The invoice of the subscription's first month, which was paid. */
let paid: PlantedInvoices['paid'];
let manual: string;
let books: unknown;

interface Erasure {
  status: string;
  completedAt: string | null;
  steps: { step: string; status: string }[];
}

beforeAll(async () => {
  [nats, mail] = await Promise.all([NatsServer.start(), MailServer.start()]);
  natsConnection = await connect({ servers: nats.url });
  const line = { write: (text: string) => void logged.push(text) };
  system = await startSystem({}, createLogger('eventstore', 'trace', line));
  await Promise.all([system.saga.get(SagaProcess).stop(), system.projector.get(ProjectorProcess).stop()]);
  pool = createPool(system.database);
  receiver = await Receiver.start();
  receiver.answer = (request, response) => response.end(request.body);
  workspace = await startApps().then(() => system.workspace());
  useApi();
  ({ paid, manual } = await plantCustomer(system, { ...workspace, http, session }, PLANTING));
  // A client can make a key of a person's name, for a request that names nobody.
  const sample = { aggregation: { type: 'count' }, events: [{}] };
  await http.post('/v1/metrics/evaluate', sample).set('Idempotency-Key', word('key')).expect(200);
  books = await accounts();
});
afterAll(async () => {
  await stopApps();
  await receiver?.close();
  await natsConnection?.close();
  await pool?.end();
  await system?.stop();
  await mail?.close();
  await nats?.remove();
});

async function startProgram(kind: keyof typeof apps): Promise<void> {
  const env = {
    LOG_LEVEL: 'trace',
    NATS_URL: nats.url,
    NATS_USAGE: String(kind === 'api'),
    MAIL_URL: mail.url,
    MAIL_FROM: 'Countinghouse <billing@example.com>',
  };
  apps[kind] = await startApp(kind, system, env, (line) => logged.push(line));
}

async function startApps(): Promise<void> {
  await Promise.all((['api', 'projector', 'saga'] as const).map(startProgram));
}

async function stopApps(): Promise<void> {
  await Promise.all(Object.values(apps).map((app) => app.stop()));
}

function useApi(): void {
  const url = `http://127.0.0.1:${apps.api!.port}`;
  http = clientOf(url, { 'x-api-key': workspace.apiKey });
  session = clientOf(url, { authorization: `Bearer ${workspace.accessToken}` });
}

it('no program logs a credential, neither when it is made nor when it is used', async () => {
  const { email, password } = workspace;
  const key = (await session.post('/v1/api-keys', { name: 'logged', role: 'viewer' }).expect(201)).body
    .key as string;
  const portal = (await http.post('/v1/portal/sessions', { customerId: 'bob' }).expect(201)).body
    .token as string;
  const url = `http://127.0.0.1:${apps.api!.port}`;
  await clientOf(url, { 'x-api-key': key }).get('/v1/customers').expect(200);
  await clientOf(url, { authorization: `Bearer ${portal}` })
    .get('/v1/portal/me')
    .expect(200);
  const { tokens } = (await clientOf(url).post('/v1/auth/login', { email, password }).expect(200)).body as {
    tokens: { accessToken: string; refreshToken: string };
  };
  const refreshed = await clientOf(url)
    .post('/v1/auth/refresh', { refreshToken: tokens.refreshToken })
    .expect(200);
  const secrets = [key, portal, password, workspace.apiKey, tokens, refreshed.body.tokens]
    .flatMap((one: string | object) => (typeof one === 'string' ? [one] : Object.values(one)))
    .filter((one) => typeof one === 'string');
  expect(secrets).toHaveLength(8);
  // The log of a request comes after its answer.
  while (!logged.some((line) => line.includes('/v1/auth/refresh'))) await http.get('/v1/health').expect(200);
  expect(logged.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
});

describe('POST /v1/customers/:id/erase', () => {
  it('refuses while something is left, and names each', async () => {
    const refused = await http.post('/v1/customers/ada/erase', { reason: 'Ticket 4711' }).expect(409);
    expect(refused.body).toMatchObject({
      code: 'customer_not_settled',
      details: [{ field: 'subscriptions' }, { field: 'invoices', message: manual }, { field: 'credits' }],
    });
    for (const named of [word('Name'), `net@${MARK}.example`])
      await http.post('/v1/customers/ada/erase', { reason: `Request of ${named}`, force: true }).expect(400);
  });

  it('finds the planted words where they can be read, before an erasure', async () => {
    expect((await placesWith(MARK)).length).toBeGreaterThan(8);
    expect(await placesWith(TAX_ID)).not.toEqual([]);
    expect(await databaseFilesWith(MARK)).not.toEqual([]);
    expect((await eventsWith(MARK)).length).toBeGreaterThan(8);
    expect(await messagesWith(EVENTS, MARK)).toBeGreaterThan(5);
    expect(await messagesWith(REJECTED, MARK)).toBe(2);
    expect(await filesWith(nats.folder, MARK)).not.toEqual([]);
    // What an answer to an idempotency key was is stored, and encrypted.
    const again = await createPlantedCustomer(http, PLANTING).expect(201);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
  });

  itOfNode(
    'goes on wherever the saga is killed',
    async () => {
      const before = (await erasureSteps()).length;
      let records = 0;
      const kills: Promise<void>[] = [];
      // Each step is done, and the saga dies before the record of it. The next saga does the step again, and records it.
      atWrites((types) =>
        types.includes('ErasureStepDone') && records++ % 2 === 0
          ? {
              before: async () => {
                await apps.saga!.kill();
                kills.push(startProgram('saga'));
                return false;
              },
            }
          : undefined,
      );
      const answer = await erase();
      expect(answer).toMatchObject({
        status: 'in_progress',
        steps: [{ step: 'settlement', status: 'in_progress' }, {}, {}, {}, {}, {}],
      });
      const done = await erased();
      await Promise.all(kills);
      jest.restoreAllMocks();
      expect([before, kills.length, records]).toEqual([0, 6, 12]);
      expect(done.steps.map(({ status }) => status)).toEqual(Array(6).fill('done'));
      expect(await erasureSteps()).toEqual(done.steps.map(({ step }) => step));
    },
    240_000,
  );

  it('leaves nothing of the person in tables, events, messages, mail and logs', async () => {
    if (!isEmbedded) {
      await erase();
      await erased();
    }
    await expectNoTrace();
    // What is about others stays, though it names the person in a text.
    expect(await messagesWith(REJECTED, 'bob')).toBe(1);
    expect(await messagesWith(EVENTS, '"parent":"ada"')).toBe(1);
    const { rowCount } = await pool.query(
      `SELECT FROM webhooks.deliveries WHERE strpos(body, '"parent":"ada"') > 0`,
    );
    expect(rowCount).toBe(1);
  });

  it('keeps invoices and books with their numbers and amounts, and prints documents without the person', async () => {
    const invoice = (await http.get(`/v1/invoices/${paid.id}`).expect(200)).body as PlantedInvoices['paid'];
    expect(invoice).toMatchObject({ number: paid.number, total: paid.total, status: 'paid' });
    await http.get('/v1/customers/ada').expect(404);
    const pdf = await http.get(`/v1/invoices/${paid.id}/pdf`).expect(200);
    expect((pdf.body as Buffer).includes(MARK)).toBe(false);
    expect(await accounts()).toEqual(books);
    expect((await http.get(`/v1/invoices/${manual}`).expect(200)).body).toMatchObject({
      status: 'void',
      lines: [{ description: '[erased]' }],
    });
  });

  it('keeps texts of usage that the SQL of a metric names', async () => {
    const query = '/v1/events?customer_id=ada&start_time=2026-01-01';
    const { data } = (await http.get(query).expect(200)).body as { data: { properties: object }[] };
    expect(data.map(({ properties }) => properties)).toMatchObject([{ tier: 'gold' }, { tier: 'gold' }]);
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
    await expectNoTrace();
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('leaves nothing after a restart of the programs either', async () => {
    await stopApps();
    await startApps();
    useApi();
    await http.get(`/v1/invoices/${paid.id}`).expect(200);
    await expectNoTrace();
  });

  it('leaves nothing in the files of the database once Postgres has written its tables anew', async () => {
    // The commands that docs/privacy.md names. Statistics have sample values of columns.
    for (const command of REWRITE) await pool.query(command);
    for (const text of [MARK, TAX_ID]) expect(await databaseFilesWith(text)).toEqual([]);
  });

  it('leaves nothing in the files of NATS but usage that was taken in', async () => {
    const isTakenIn = (file: string) => file.includes('/COUNTINGHOUSE_USAGE/');
    expect((await filesWith(nats.folder, MARK)).filter((file) => !isTakenIn(file))).toEqual([]);
  });

  it('changes nothing when it is repeated, and leaves other customers alone', async () => {
    const before = await numberOfEvents();
    expect(await erase()).toMatchObject({ status: 'completed' });
    expect(await numberOfEvents()).toBe(before);
    expect((await http.get('/v1/customers/bob').expect(200)).body).toMatchObject({ name: 'Bob' });
    // The stored answer is gone. The repeated request finds what it made, and makes nothing.
    const again = await createPlantedCustomer(http, PLANTING).expect(201);
    expect(again.headers).not.toHaveProperty('idempotency-replayed');
    expect(again.body).toMatchObject({ id: 'ada', name: '[erased]', taxId: '[erased]' });
    expect(JSON.stringify(again.body)).not.toContain(MARK);
    expect(await numberOfEvents()).toBe(before);
  });
});

it('leaves no reason of a reversed payment or of a void credit note in stored tasks', async () => {
  const create = async (path: string, body: object) =>
    (await http.post(path, body).expect(201)).body as { id: string; payments: { id: string }[] };
  // The balance of the note would pay the other invoice, and could not be taken back.
  await http.put('/v1/billing-settings', { balancePaysOpenInvoices: false }).expect(200);
  await create('/v1/customers', { id: 'eve', name: 'Eve' });
  const lines = [{ description: 'Advice', unitPrice: 30 }];
  const openInvoice = async () => {
    const { id } = await create('/v1/invoices', { customerId: 'eve', currency: 'USD', lines, draft: true });
    await http.post(`/v1/invoices/${id}/approve`).expect(200);
    return id;
  };
  const reversed = await openInvoice();
  const { payments } = await create(`/v1/invoices/${reversed}/payments`, { amount: 40, method: 'cash' });
  const withReason = { reason: word('reversal') };
  await http.delete(`/v1/invoices/${reversed}/payments/${payments[0]!.id}`).send(withReason).expect(200);
  const credited = await openInvoice();
  await create(`/v1/invoices/${credited}/payments`, { amount: 30, method: 'cash' });
  const note = { reason: 'other', amount: 30, to: 'balance' };
  const { id } = await create(`/v1/invoices/${credited}/credit-note`, note);
  await http.post(`/v1/invoices/${credited}/credit-notes/${id}/void`, { reason: word('void') }).expect(200);
  for (const text of ['reversal', 'void'])
    expect(await placesWith(word(text))).toContain('saga.tasks.payload');
  await http.post('/v1/customers/eve/erase', { reason: 'Ticket 4712', force: true }).expect(202);
  await untilErased(system, workspace, 'eve');
  for (const text of ['reversal', 'void']) expect(await placesWith(word(text))).toEqual([]);
});

/**
 * Sends usage by NATS that is rejected: two messages about the person, one of which is no JSON, and one about somebody else, whose
 * properties name the person.
 */
async function sendRejectedUsage(): Promise<void> {
  const js = jetstream(natsConnection, { timeout: 120_000 });
  const subject = `countinghouse.usage.${workspace.workspaceId}`;
  const late = (customerId: string, user: string) =>
    JSON.stringify({ ...plantedUsage(customerId, 1, user), timestamp: 'yesterday' });
  for (const text of [
    late('ada', word('user3')),
    `{"customerId":"ada","user":"${word('user4')}"`,
    late('bob', 'ada'),
  ])
    await js.publish(subject, text);
  for (;;) {
    const manager = await jetstreamManager(natsConnection);
    const state = await manager.streams.info(REJECTED).then(
      (info) => info.state,
      () => undefined,
    );
    if (state?.messages === 3) return;
  }
}

async function erase(): Promise<Erasure> {
  const body = { reason: 'Ticket 4711', force: true };
  return (await http.post('/v1/customers/ada/erase', body).expect(202)).body as Erasure;
}

async function erased(): Promise<Erasure> {
  await untilErased(system, workspace, 'ada');
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

/** Requires that a search finds no planted word, wherever a program can read. */
async function expectNoTrace(): Promise<void> {
  for (const text of [MARK, TAX_ID]) {
    expect(await placesWith(text)).toEqual([]);
    expect(await eventsWith(text)).toEqual([]);
    expect(await messagesWith(EVENTS, text)).toBe(0);
    expect(await messagesWith(REJECTED, text)).toBe(0);
    expect(await mailsWith(text)).toEqual([]);
    expect(logged.filter((line) => line.includes(text))).toEqual([]);
  }
  expect(logged.length).toBeGreaterThan(100);
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

/** The number of messages of a stream in NATS that have a text. */
async function messagesWith(stream: string, text: string): Promise<number> {
  const manager = await jetstreamManager(natsConnection);
  const { state } = await manager.streams.info(stream);
  let found = 0;
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message?.string().includes(text)) found++;
  }
  return found;
}

/** The mails that have a text, in the queue or as they were sent. */
async function mailsWith(text: string): Promise<string[]> {
  const seal = new MailCipher([system.settings.jwtSecret!]);
  const queued = await new MailStore(pool).list({}, { limit: 1_000 });
  expect(queued.length).toBeGreaterThan(0);
  const texts = queued.map(({ content }) => JSON.stringify(seal.decryptContent(content)));
  return [...texts, ...mail.received.map(({ raw }) => raw)].filter((one) => one.includes(text));
}

/** The files of the database that have a text, without the write-ahead log, which all databases of a server share. */
async function databaseFilesWith(text: string): Promise<string[]> {
  await pool.query('CHECKPOINT');
  const { rows } = await pool.query<{ folder: string }>(
    `SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database
     WHERE datname = current_database()`,
  );
  return filesWith(rows[0]!.folder, text);
}

/** The files below a folder that have a text. A file that is gone by now has none: Postgres removes some of its own at any time. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.length).toBeGreaterThan(5);
  const found: string[] = [];
  for (const file of files) if ((await contentOf(file))?.includes(text)) found.push(file);
  return found;
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The number of events, without the anchors of the audit trail, which come once a minute. */
async function numberOfEvents(): Promise<number> {
  const events = await recordedEvents(system.node.url);
  return events.filter(({ type }) => type !== 'AuditAnchored').length;
}

/** The steps of the erasure that were recorded, in order. */
async function erasureSteps(): Promise<string[]> {
  const events = await recordedEvents(system.node.url);
  return events
    .filter(({ type }) => type === 'ErasureStepDone')
    .map(({ data }) => (data as unknown as { step: string }).step);
}
