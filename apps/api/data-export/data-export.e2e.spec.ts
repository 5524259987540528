import http from 'node:http';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import pg from 'pg';
import type { Response } from 'supertest';
import yauzl from 'yauzl';
import { customerDataParts } from '#libs/manifest';
import {
  clientOf,
  createPool,
  startSystem,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { advanceClock } from '../../../test/support/plans.js';
import { untilErased } from '../../../test/support/erasure.js';
import { plantCustomer } from '../../../test/support/planted-customer.js';
import { Receiver } from '../../../test/support/receiver.js';

/** Every planted text has this. */
const MARK = 'xyzzy';
/** A tax id has a form of its own, so it cannot have the mark. */
const TAX_ID = 'DE136695976';
const planted: string[] = [];
const word = (name: string): string => {
  const text = `${name}-${MARK}`;
  planted.push(text);
  return text;
};

let system: System;
let workspace: TestWorkspace;
let receiver: Receiver;
let pool: pg.Pool;

type Entry = Record<string, unknown>;
type Export = Record<string, Entry[]> & { customer: Entry; complete: boolean };

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
  receiver = await Receiver.start();
  workspace = await system.workspace();
  const { http: client, session } = workspace;
  const planting = { word, domain: `${MARK}.example`, taxId: TAX_ID, webhookUrl: receiver.url };
  await plantCustomer(system, workspace, planting);
  // What an erasure does not have to find, but an export has to.
  await workspace.portalOf('ada');
  const card = { type: 'test', test: 'pm_card_mastercard' };
  await client.post('/v1/customers/ada/payment-methods', card).expect(201);
  const seat = { model: 'license', unitPrice: 1, currency: 'USD' };
  await client.post('/v1/prices', { name: 'Seat', licenseTypeId: 'editor', config: seat }).expect(201);
  await client.post('/v1/licenses', { customerId: 'ada', licenseTypeId: 'editor' }).expect(201);
  const { data } = (await client.get('/v1/metrics').expect(200)).body as { data: { id: string }[] };
  const limit = { customerId: 'ada', metricId: data[0]!.id, limit: 9, per: 'month', action: 'notify' };
  await client.post('/v1/usage-limits', limit).expect(201);
  const top = { threshold: 1, credits: 100, enabled: false };
  await client.put('/v1/customers/ada/wallets/ai/auto-top-up', top).expect(200);
  await client.patch('/v1/customers/ada', { name: word('Later') }).expect(200);
  // A user with the customer's address gets a mail.
  const invited = { email: `mail@${MARK}.example`, role: 'viewer' };
  await session.post('/v1/users/invitations', invited).expect(201);
  await advanceClock({ http: client }, '2026-02-03T00:00:00Z');
});
afterAll(async () => {
  await receiver?.close();
  await pool?.end();
  await system?.stop();
});

describe('GET /v1/customers/:id/data-export', () => {
  it('has every text that was ever given about the customer, in every part', async () => {
    const { text, data, headers } = await exported('ada');
    expect(headers['content-disposition']).toBe('attachment; filename="customer-data.json"');
    expect(planted.filter((one) => !text.includes(one))).toEqual([]);
    for (const own of [`mail@${MARK}.example`, `bill@${MARK}.example`, TAX_ID]) expect(text).toContain(own);
    const empty = customerDataParts().filter(({ name }) => Object.keys(data[name] ?? {}).length === 0);
    // Only these have nothing to tell of this customer.
    expect(empty.map(({ name }) => name)).toEqual([
      'dunningProcesses',
      'stripeCustomers',
      'erasures',
      'amendments',
    ]);
    expect(data.customer).toMatchObject({ id: 'ada', name: word('Later') });
    expect(data['customerHistory']).toContainEqual(
      expect.objectContaining({
        event: 'CustomerCreated',
        data: expect.objectContaining({ name: `Name-${MARK}` }),
      }),
    );
    expect(data['payments']).toEqual([expect.objectContaining({ status: 'succeeded' })]);
    expect(data['usageEvents']!.map(({ customerId }) => customerId)).toEqual(['ada', 'ada']);
    expect(/bob|"token"|portal_[A-Za-z0-9]{20}|whsec_|svc_/.test(text)).toBe(false);
  });

  it('is as the published schema has it', async () => {
    const { body: document } = await workspace.http.get('/v1/openapi.json').expect(200);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document as object, 'api');
    const validate = ajv.compile({ $ref: 'api#/components/schemas/CustomerDataExport' });
    const { data } = await exported('ada');
    expect([validate(data), validate.errors]).toEqual([true, null]);
    const { complete: _, ...broken } = data;
    expect(validate(broken)).toBe(false);
  });

  it('is in the audit trail, with the actor and the format, also in the export itself', async () => {
    const { data } = await exported('ada');
    const { body } = await workspace.session.get('/v1/audit?action=customer.data_exported').expect(200);
    const [last] = (body as { data: Entry[] }).data;
    expect(last).toMatchObject({
      resourceType: 'customer',
      resourceId: 'ada',
      data: { format: 'json' },
      actor: { type: 'api_key', id: expect.stringMatching(/^key_/) },
    });
    expect(data['auditEntries']).toContainEqual(last);
    const types = new Set(data['auditEntries']!.map(({ resourceType }) => resourceType));
    expect([...types].sort()).toEqual([
      'approval',
      'balance',
      'customer',
      'entitlement_grant',
      'invoice',
      'license',
      'portal_session',
      'subscription',
      'usage_limit',
      'wallet',
    ]);
  });

  it('is an archive with a file for each part and the PDFs, if that is asked for', async () => {
    const { data } = await exported('ada');
    const answer = await download('/v1/customers/ada/data-export?format=zip');
    expect(answer.headers['content-type']).toBe('application/zip');
    const files = await unzip(answer.body as Buffer);
    const names = [...files.keys()];
    const parts = customerDataParts().map(({ name, columns }) => `${name}.${columns ? 'csv' : 'json'}`);
    expect(names.slice(0, parts.length + 1)).toEqual(['export.json', ...parts]);
    for (const name of ['customer', 'invoices', 'walletLedger'])
      expect(JSON.parse(files.get(`${name}.json`)!.toString())).toEqual(data[name]);
    const csv = files.get('usageEvents.csv')!.toString().split('\r\n');
    expect(csv[0]).toBe('id,customerId,eventName,timestamp,idempotencyKey,properties,ingestedAt');
    expect(csv[1]).toContain(`user1-${MARK}-key,"{""`);
    expect(csv).toHaveLength(4);
    const marked = await download('/v1/customers/ada/data-export?format=zip&bom=true');
    const [markedText] = [(await unzip(marked.body as Buffer)).get('usageEvents.csv')!.toString()];
    expect(markedText.slice(0, 4)).toBe('\uFEFFid,');
    const pdfs = names.slice(parts.length + 1);
    const numbers = (part: string) =>
      data[part]!.flatMap(({ number }) => (number === null ? [] : [number as string]));
    expect(pdfs.sort()).toEqual(
      [
        ...numbers('invoices').map((number) => `invoices/${number}.pdf`),
        ...numbers('creditNotes').map((number) => `credit-notes/${number}.pdf`),
      ].sort(),
    );
    expect(pdfs.length).toBeGreaterThan(1);
    for (const name of pdfs) expect(files.get(name)!.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('is not found in another workspace, which can have a customer with the same id', async () => {
    const other = await system.workspace();
    const missing = await other.http.get('/v1/customers/ada/data-export').expect(404);
    expect(missing.body).toMatchObject({ code: 'customer_not_found', details: [{ field: 'id' }] });
    await other.http.get('/v1/customers/ada/data-export?format=zip').expect(404);
    await other.http.post('/v1/customers', { id: 'ada', name: 'Another Ada' }).expect(201);
    const { body } = await other.http.get('/v1/customers/ada/data-export').expect(200);
    expect(body).toMatchObject({
      customer: { name: 'Another Ada' },
      usageEvents: [],
      invoices: [],
      mails: [],
    });
    expect(JSON.stringify(body)).not.toContain(MARK);
    await workspace.http.get('/v1/customers/nobody/data-export').expect(404);
    await workspace.http.get('/v1/customers/ada/data-export?format=xml').expect(400);
  });

  it.each(['finance', 'developer', 'viewer'])('is refused to the role %s', async (role) => {
    const { body } = await workspace.session.post('/v1/api-keys', { name: role, role }).expect(201);
    const client = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
    await client.get('/v1/customers/ada/data-export').expect(403);
  });
});

describe('an export of much usage', () => {
  const EVENTS = 200_000;
  const PAGES = EVENTS / 500;

  beforeAll(async () => {
    await workspace.http.post('/v1/customers', { id: 'big', name: 'Big' }).expect(201);
    const event = { customerId: 'big', eventName: 'bulk', timestamp: '2026-01-01T00:00:00Z' };
    await workspace.http.post('/v1/events', event).expect(200);
    await pool.query(
      `INSERT INTO usage.events (seq, stream_id, series_id, timestamp, id, properties, source_id, recorded_at)
       SELECT nextval('usage.event_seq'), e.stream_id, e.series_id, e.timestamp + n * interval '1 ms', 'use_' || n,
         jsonb_build_object('n', n, 'text', repeat('x', 200)), e.source_id, e.recorded_at
       FROM usage.events e JOIN usage.series s ON s.id = e.series_id AND s.customer_id = 'big',
         generate_series(1, ${EVENTS - 1}) n`,
    );
  });

  it('is read as fast as the client takes it, and its heap grows by less than 32 MB', async () => {
    const pages = countPages();
    const { answer, response } = await open('/v1/customers/big/data-export');
    await stalled(response, pages);
    const held = pages();
    expect(held).toBeLessThan(PAGES / 2);
    const before = heap();
    let most = 0;
    let bytes = 0;
    let lines = 0;
    let end = '';
    let chunks = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      lines += chunk.toString('latin1').split('\n').length - 1;
      end = chunk.subarray(-20).toString();
      if (++chunks % 200 === 0) most = Math.max(most, heap() - before);
    }
    expect(end).toMatch(/"complete":true\}\n$/);
    expect(lines).toBeGreaterThan(EVENTS);
    expect(bytes).toBeGreaterThan(60_000_000);
    expect(pages()).toBeGreaterThanOrEqual(PAGES);
    expect(most).toBeLessThan(32_000_000);
  });

  it.each(['json', 'zip'])('ends its work when the client of the format %s goes away', async (format) => {
    const pages = countPages();
    const { answer, response } = await open(`/v1/customers/big/data-export?format=${format}`);
    if (format === 'json') await stalled(response, pages);
    const closed = once(response, 'close');
    answer.destroy();
    await closed;
    // The page that is being read at this moment may still come.
    await pool.query('SELECT 1');
    await turn();
    const last = pages();
    for (let i = 0; i < 20; i++) await pool.query('SELECT 1');
    expect(pages() - last).toBeLessThan(2);
    expect(pages()).toBeLessThan(PAGES / 2);
  });

  it('cuts the connection if a document fails on the way', async () => {
    const { answer, response } = await open('/v1/customers/big/data-export');
    await stalled(response, countPages());
    await withoutTable('usage.events', async () => {
      expect(await textOfBroken(answer)).not.toContain('"complete":true');
    });
  });
});

describe('an archive that fails on the way', () => {
  it('is cut before its directory', async () => {
    // Mails are the last part but one, so much was sent before.
    await withoutTable('mail.messages', async () => {
      const { answer } = await open('/v1/customers/ada/data-export?format=zip');
      expect(answer.statusCode).toBe(200);
      const sent = await textOfBroken(answer);
      expect(sent.startsWith('PK\u0003\u0004')).toBe(true);
      expect(sent).not.toContain('PK\u0005\u0006');
    });
  });
});

describe('the export of an erased customer', () => {
  it('has what is left, and nothing of the person', async () => {
    const { http: client } = workspace;
    const body = { reason: 'Ticket 4711', force: true };
    await client.post('/v1/customers/ada/erase', body).expect(202);
    await untilErased(system, workspace, 'ada');
    const { data, text } = await exported('ada');
    expect(data['erasures']).toEqual([expect.objectContaining({ status: 'completed' })]);
    expect(data['invoices']!.length).toBeGreaterThan(1);
    expect(data['usageEvents']).toHaveLength(2);
    // The mail went to a user, who is another person to the workspace.
    expect(text).not.toContain(MARK);
  });
});

async function exported(
  id: string,
): Promise<{ data: Export; text: string; headers: Record<string, string> }> {
  const answer = await workspace.http.get(`/v1/customers/${id}/data-export`).expect(200);
  return { data: answer.body as Export, text: answer.text, headers: answer.headers };
}

async function download(path: string): Promise<Response> {
  return workspace.http
    .get(path)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    })
    .expect(200);
}

/** Reads an archive, which must have all its files with the checksums that it says. */
async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await yauzl.fromBufferPromise(archive);
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

/** Begins a request whose body nobody reads yet, and finds the response as the API sees it. */
async function open(path: string): Promise<{ answer: http.IncomingMessage; response: http.ServerResponse }> {
  const server = system.api.getHttpServer();
  const asked = once(server, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
  const request = http.get(`${system.url}${path}`, { headers: { 'x-api-key': workspace.apiKey } });
  const [[answer], [, response]] = await Promise.all([
    once(request, 'response') as Promise<[http.IncomingMessage]>,
    asked,
  ]);
  return { answer, response };
}

/** Reads a body whose connection is cut, and returns what came of it. */
async function textOfBroken(answer: http.IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  await expect(
    (async () => {
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk.toString('latin1'));
    })(),
  ).rejects.toThrow('aborted');
  return chunks.join('');
}

/** Does something while a table is missing. */
async function withoutTable(table: string, work: () => Promise<void>): Promise<void> {
  const [schema, name] = table.split('.');
  await pool.query(`ALTER TABLE ${table} RENAME TO away`);
  try {
    await work();
  } finally {
    await pool.query(`ALTER TABLE ${schema}.away RENAME TO ${name}`);
  }
}

/** Waits until the API has written all that fits between it and the client, and reads no more. */
async function stalled(response: http.ServerResponse, pages: () => number): Promise<void> {
  for (let seen = -1, same = 0; same < 50;) {
    await pool.query('SELECT 1');
    same = response.writableNeedDrain && pages() === seen ? same + 1 : 0;
    seen = pages();
  }
}

/** Counts the pages of usage that the API has read since the call. It keeps nothing of what was read. */
function countPages(): () => number {
  const ofApi = system.api.get(pg.Pool, { strict: false });
  const { query } = pg.Pool.prototype;
  let pages = 0;
  ofApi.query = function (this: pg.Pool, ...asked: unknown[]) {
    if (String(asked[0]).includes('FROM usage.events e')) pages += 1;
    return Reflect.apply(query, ofApi, asked) as unknown;
  } as typeof ofApi.query;
  return () => pages;
}

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

/** The bytes of the heap that are in use. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
