import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { DeleteCustomer } from '#libs/contexts/subscriptions';
import {
  advanceClock,
  createPlan,
  createPool,
  fee,
  freezeClock,
  startSystem,
  subscribe,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { beforeCommand } from '../../../test/support/before-command.js';
import { commandContextOf, createInvoice, customerWithCard } from '../../../test/support/invoicing.js';

let system: System;
let db: pg.Pool;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  db = createPool(system.database);
  db.on('error', () => undefined);
});
afterAll(async () => {
  await db?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
});

/** The body of a refused request, once it has been checked to be a 400 that names the field. */
async function refused(body: object, field: string): Promise<void> {
  const { body: answer } = await http.post('/v1/customers', body).expect(400);
  expect(answer).toMatchObject({ code: 'validation_failed', details: [{ field }] });
}

it('refuses addresses with characters that cannot be seen', async () => {
  const hidden = 'ap\u202e@northwind.example';
  await refused({ name: 'A', email: hidden }, 'email');
  await refused({ name: 'A', billingEmail: hidden }, 'billingEmail');
  const { body } = await http.post('/v1/customers', { name: 'A' }).expect(201);
  await http.patch(`/v1/customers/${body.id}`, { billingEmail: 'ap\u200b@northwind.example' }).expect(400);
});

describe('POST /v1/customers', () => {
  it('creates a customer with every field, and a GET right after sees it', async () => {
    const body = {
      id: 'north:wind_1.a-b',
      name: 'Northwind Ltd',
      email: 'ops@northwind.example',
      billingEmail: 'ap@northwind.example',
      additionalEmails: ['accounting@northwind.example'],
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      language: 'de',
      externalId: 'crm-17',
      address: {
        line1: 'Hauptstr. 1',
        line2: null,
        city: 'Berlin',
        postalCode: '10115',
        region: null,
        country: 'DE',
      },
      taxId: 'DE123456789',
      poNumber: 'PO-2026-0815',
      buyerReference: '04011000-1234512345-06',
      electronicAddress: { scheme: '0204', id: '04011000-1234512345-06' },
      eInvoiceProfile: 'xrechnung',
      customFields: [{ name: 'Cost center', value: '4711' }],
      metadata: { segment: 'smb', seats: 3 },
    };
    const { body: created } = await http.post('/v1/customers', body).expect(201);
    expect(created).toEqual({
      ...body,
      taxRateIds: null,
      taxExemptReason: null,
      taxExemptType: 'exempt',
      defaultPaymentMethodId: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    const { body: read } = await http.get('/v1/customers/north:wind_1.a-b').expect(200);
    expect(read).toEqual(created);
  });

  it('needs a name only; the rest has defaults', async () => {
    const { body } = await http.post('/v1/customers', { name: 'Ada' }).expect(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cust_[0-9A-Z]{26}$/),
      email: null,
      currency: 'USD',
      timezone: 'UTC',
      language: null,
      metadata: {},
    });
  });

  it('names the field that is wrong', async () => {
    await refused({}, 'name');
    await refused({ name: 7 }, 'name');
    await refused({ name: 'x'.repeat(201) }, 'name');
    await refused({ name: ' \t' }, 'name');
    await refused({ name: 'a\u0000b' }, 'name');
    await refused({ name: 'half a pair \ud800' }, 'name');
    await refused({ name: 'A', metadata: { a: ['\udfff'] } }, 'metadata.a.0');
    await refused({ name: 'A', id: 'with space' }, 'id');
    await refused({ name: 'A', id: 'x'.repeat(129) }, 'id');
    // A URL's path swallows these two, so that nobody could ever read or delete such a customer.
    await refused({ name: 'A', id: '.' }, 'id');
    await refused({ name: 'A', id: '..' }, 'id');
    await refused({ name: 'A', email: 'nobody' }, 'email');
    await refused({ name: 'A', email: 'a@b.example\r\nBcc: x@y.example' }, 'email');
    await refused({ name: 'A', currency: 'usd' }, 'currency');
    await refused({ name: 'A', currency: 'XXX' }, 'currency');
    await refused({ name: 'A', timezone: 'Mars/Olympus' }, 'timezone');
    await refused({ name: 'A', language: 'it' }, 'language');
    await refused({ name: 'A', language: 'DE' }, 'language');
    const address = { line1: 'Hauptstr. 1', city: 'Berlin', country: 'DE' };
    await refused({ name: 'A', address: 'Berlin' }, 'address');
    await refused({ name: 'A', address: [address] }, 'address');
    await refused({ name: 'A', address: { ...address, city: undefined } }, 'address.city');
    await refused({ name: 'A', address: { ...address, country: 'Germany' } }, 'address.country');
    await refused({ name: 'A', address: { ...address, country: 'de' } }, 'address.country');
    await refused({ name: 'A', address: { ...address, country: 'ZZ' } }, 'address.country');
    await refused({ name: 'A', address: { ...address, zip: '1' } }, 'address.zip');
    await refused({ name: 'A', taxId: 'DE12345678' }, 'taxId');
    await refused({ name: 'A', taxId: '123456789' }, 'taxId');
    await refused({ name: 'A', taxExemptType: 'other' }, 'taxExemptType');
    await refused({ name: 'A', metadata: [] }, 'metadata');
    await refused({ name: 'A', metadata: { deep: { a: { b: { c: { d: { e: 1 } } } } } } }, 'metadata');
    await refused({ name: 'A', status: 'active' }, 'status');
    await refused({ name: 'A', workspaceId: 'acc_other' }, 'workspaceId');
  });

  it('accepts an id of 128 characters and refuses one that is taken', async () => {
    const id = 'x'.repeat(128);
    await http.post('/v1/customers', { name: 'A', id }).expect(201);
    const { body } = await http.post('/v1/customers', { name: 'B', id }).expect(409);
    expect(body).toMatchObject({ code: 'customer_already_exists', details: [{ field: 'id' }] });
  });

  it('keeps metadata under names that every object has', async () => {
    const metadata = '{"toString":"x","valueOf":{"hasOwnProperty":1}}';
    const sent = http.post('/v1/customers').set('content-type', 'application/json');
    const { body } = await sent.send(`{"name":"A","metadata":${metadata}}`).expect(201);
    expect(JSON.stringify(body.metadata)).toBe(metadata);
    const { body: read } = await http.get(`/v1/customers/${body.id}`).expect(200);
    expect(read.metadata).toEqual(JSON.parse(metadata));
  });

  it('refuses the ids . and .., under which nothing could be reached', async () => {
    for (const id of ['.', '..']) {
      const { body } = await http.post('/v1/customers', { name: 'A', id }).expect(400);
      expect(body.details).toEqual([{ field: 'id', message: `must not be ${id} alone` }]);
    }
  });

  it('lets two workspaces use the same id for customers of their own', async () => {
    const other = await system.workspace();
    await http.post('/v1/customers', { name: 'Mine', id: 'same' }).expect(201);
    await other.http.post('/v1/customers', { name: 'Theirs', id: 'same' }).expect(201);
    expect((await http.get('/v1/customers/same').expect(200)).body.name).toBe('Mine');
    expect((await other.http.get('/v1/customers/same').expect(200)).body.name).toBe('Theirs');
  });
});

describe('bodies that are not what they should be', () => {
  const send = (body: string, type = 'application/json') =>
    http.post('/v1/customers').set('content-type', type).send(body);

  it('refuses malformed JSON, other types, prototype keys and deep nesting, and stores nothing', async () => {
    expect((await send('{"name": ').expect(400)).body.code).toBe('malformed_json');
    expect((await send('name=x', 'application/x-www-form-urlencoded').expect(415)).body.code).toBe(
      'unsupported_media_type',
    );
    const fieldOf = async (body: string) => (await send(body).expect(400)).body.details[0].field;
    expect(await fieldOf('{"name":"A","metadata":{"__proto__":{"admin":true}}}')).toBe('metadata.__proto__');
    expect(await fieldOf('{"name":"A","metadata":{"constructor":{"prototype":{"admin":true}}}}')).toBe(
      'metadata.constructor',
    );
    expect(await fieldOf('{"name":"A","constructor":{"prototype":1}}')).toBe('constructor');
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    expect(await fieldOf(`{"name":"A","metadata":${deep}}`)).toMatch(/^metadata(\.a)+$/);
    expect((await send('[]').expect(400)).body.error).toBe('The body must be a JSON object');
    await send('null').expect(400);
    expect((await send('').expect(400)).body.details[0].field).toBe('name');
    await send('"text"').expect(400);
    expect((await http.get('/v1/customers').expect(200)).body).toEqual({ data: [], hasMore: false });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('refuses a number that would come back changed, instead of changing it', async () => {
    const { body } = await send('{"name":"A","metadata":{"n":9007199254740993}}').expect(400);
    expect(body.details[0].field).toBe('metadata');
    const { body: kept } = await send('{"name":"A","id":"a","metadata":{"n":1e-8,"m":0.1}}').expect(201);
    expect((await http.get('/v1/customers/a').expect(200)).body.metadata).toEqual(kept.metadata);
  });

  it('refuses a body that is too large with 413', async () => {
    const { body } = await send(JSON.stringify({ name: 'x'.repeat(6_000_000) })).expect(413);
    expect(body.code).toBe('body_too_large');
  });
});

describe('a path that is too long for any id', () => {
  it('leads nowhere', async () => {
    expect((await http.get(`/v1/customers/${'x'.repeat(600)}`).expect(404)).body.code).toBe('not_found');
    expect((await http.get('/v1/customers/%zz').expect(400)).body.code).toBe('bad_request');
  });
});

describe('what Postgres would not take', () => {
  it('leaves the read models going', async () => {
    await http.put('/v1/sandbox/clock', { now: '9999-12-31T23:59:59Z' }).expect(400);
    await http.put('/v1/sandbox/clock', { now: '0000-01-01T00:00:00Z' }).expect(400);
    await http.post('/v1/customers', { name: 'half a pair \udc00' }).expect(400);
    await http.post('/v1/customers', { name: 'A', id: 'a' }).expect(201);
    await http.get('/v1/customers/a').expect(200);
  });

  it.each(['/v1/customers/%00', '/v1/customers/%ff', '/v1/customers/%zz'])(
    'GET %s finds nothing',
    async (path) => {
      const { status, body } = await http.get(path);
      expect([400, 404]).toContain(status);
      expect(body).toMatchObject({
        code: expect.any(String),
        error: expect.any(String),
        requestId: expect.any(String),
      });
    },
  );
});

describe('reading', () => {
  it('lists in the order of creation, in pages', async () => {
    for (const id of ['c', 'a', 'b']) await http.post('/v1/customers', { name: id, id }).expect(201);
    const ids = async (query: string) =>
      ((await http.get(`/v1/customers${query}`).expect(200)).body as { data: { id: string }[] }).data.map(
        ({ id }) => id,
      );
    expect(await ids('')).toEqual(['c', 'a', 'b']);
    expect(await ids('?limit=2')).toEqual(['c', 'a']);
    expect(await ids('?limit=2&offset=2')).toEqual(['b']);
  });

  it('refuses pages that make no sense', async () => {
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'page=2']) {
      const { body } = await http.get(`/v1/customers?${query}`).expect(400);
      expect(body.details[0].field).toBe(query.split('=')[0]);
    }
  });

  it("does not find another workspace's customer, whatever is tried", async () => {
    const other = await system.workspace();
    await other.http.post('/v1/customers', { name: 'Theirs', id: 'theirs' }).expect(201);
    await http.get('/v1/customers/theirs').expect(404);
    await http.patch('/v1/customers/theirs', { name: 'Mine' }).expect(404);
    await http.delete('/v1/customers/theirs').expect(404);
    expect((await other.http.get('/v1/customers/theirs').expect(200)).body.name).toBe('Theirs');
    const { body } = await http.get('/v1/customers/theirs').expect(404);
    expect(body).toMatchObject({
      code: 'customer_not_found',
      error: 'No customer "theirs" in this workspace',
    });
  });

  it('finds customers by e-mail, in whatever capitals, and by external id, and nobody of another workspace', async () => {
    const create = async (details: object, as = http) => (await as.post('/v1/customers', details)).body.id;
    const [one, two, three] = [
      await create({ name: '1', email: 'Ada@Example.com', externalId: 'crm-1' }),
      await create({ name: '2', email: 'bob@example.com', externalId: 'crm-2' }),
      await create({ name: '3', email: 'ada@example.com', billingEmail: 'bob@example.com' }),
    ];
    await create(
      { name: '4', email: 'ada@example.com', externalId: 'crm-1' },
      (await system.workspace()).http,
    );
    const found = async (query: string) =>
      ((await http.get(`/v1/customers?${query}`).expect(200)).body.data as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await found('email=ADA@example.com')).toEqual([one, three]);
    expect(await found('externalId=crm-2')).toEqual([two]);
    expect(await found('email=ada@example.com&externalId=crm-1')).toEqual([one]);
    expect(await found('email=ada@example.com&limit=1&offset=1')).toEqual([three]);
    expect(await found('email=carl@example.com')).toEqual([]);
    await http.patch(`/v1/customers/${three}`, { email: 'new@example.com' }).expect(200);
    expect(await found('email=new@example.com')).toEqual([three]);
    expect(await found('email=ada@example.com')).toEqual([one]);
    await http.get('/v1/customers?email=nobody').expect(400);
  });

  it('says whether there is more', async () => {
    for (const name of ['1', '2', '3']) await http.post('/v1/customers', { name }).expect(201);
    const more = async (query: string) => (await http.get(`/v1/customers${query}`).expect(200)).body.hasMore;
    expect([
      await more(''),
      await more('?limit=3'),
      await more('?limit=2'),
      await more('?limit=2&offset=1'),
    ]).toEqual([false, false, true, false]);
  });

  it('refuses an unknown parameter, and names the closest that there is', async () => {
    const messageOf = async (query: string) => {
      const { body } = await http.get(`/v1/customers?${query}`).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: query.split('=')[0] }] });
      return body.details[0].message;
    };
    expect(await messageOf('external_ids=a')).toBe(
      'is not a parameter of this request; did you mean externalId?',
    );
    expect(await messageOf('limits=5')).toBe('is not a parameter of this request; did you mean limit?');
    expect(await messageOf('colour=red')).toBe(
      'is not a parameter of this request, which takes after, email, externalId, limit, offset',
    );
  });
});

describe('PATCH and DELETE', () => {
  it('changes only what is given, and null takes a field back', async () => {
    await http.post('/v1/customers', { name: 'A', id: 'a', email: 'a@example.com' }).expect(201);
    const { body } = await http.patch('/v1/customers/a', { email: null, timezone: 'Asia/Tokyo' }).expect(200);
    expect(body).toMatchObject({ name: 'A', email: null, timezone: 'Asia/Tokyo' });
    expect((await http.get('/v1/customers/a').expect(200)).body).toEqual(body);
  });

  it('refuses null where something must stand', async () => {
    await http.post('/v1/customers', { name: 'A', id: 'a' }).expect(201);
    for (const field of ['name', 'currency', 'timezone', 'metadata']) {
      const { body } = await http.patch('/v1/customers/a', { [field]: null }).expect(400);
      expect(body.details[0].field).toBe(field);
    }
    const { body } = await http.patch('/v1/customers/a', { id: 'b' }).expect(400);
    expect(body.details[0].field).toBe('id');
  });

  it('deletes once, and the id stays taken', async () => {
    await http.post('/v1/customers', { name: 'A', id: 'a' }).expect(201);
    await http.delete('/v1/customers/a').expect(204);
    await http.get('/v1/customers/a').expect(404);
    await http.delete('/v1/customers/a').expect(404);
    expect((await http.get('/v1/customers').expect(200)).body.data).toEqual([]);
    await http.post('/v1/customers', { name: 'A', id: 'a' }).expect(409);
  });
});

describe('DELETE of a customer with something unsettled', () => {
  const NOW = '2026-03-01T00:00:00.000Z';
  const bill = async (customerId: string, more: object = {}): Promise<string> => {
    const lines = [{ description: 'Setup', unitPrice: 70 }];
    const { body } = await http.post('/v1/invoices', { customerId, lines, ...more }).expect(201);
    return body.id;
  };
  const refusedWith = async (customerId: string, code: string, ...named: string[]) => {
    const { body } = await http.delete(`/v1/customers/${customerId}`).expect(409);
    expect(body).toMatchObject({ code });
    for (const name of named) expect(body.error).toContain(name);
  };

  beforeEach(() => freezeClock(workspace, NOW));

  it('is refused while there is a draft or an open invoice, and not for debt that was written off', async () => {
    const customerId = await customerWithCard(workspace, null);
    const id = await bill(customerId, { draft: true });
    await refusedWith(customerId, 'customer_has_open_invoices', id, 'void');
    await http.post(`/v1/invoices/${id}/approve`).expect(200);
    await refusedWith(customerId, 'customer_has_open_invoices', id);
    await http.post(`/v1/invoices/${id}/mark-uncollectible`).expect(200);
    await http.delete(`/v1/customers/${customerId}`).expect(204);
    await http.delete(`/v1/customers/${customerId}`).expect(404);
  });

  it('is refused while there is a balance, also in another currency than its own', async () => {
    const customerId = await customerWithCard(workspace);
    const id = await bill(customerId, { draft: true, currency: 'EUR' });
    await http.post(`/v1/invoices/${id}/pay`).expect(200);
    await http.post(`/v1/invoices/${id}/credit-note`, { reason: 'other', to: 'balance' }).expect(201);
    await advanceClock(workspace, '2026-03-01T00:00:01.000Z');
    await refusedWith(customerId, 'customer_has_balance', '70.00 EUR', 'invoice');
    await bill(customerId, { currency: 'EUR' });
    await advanceClock(workspace, '2026-03-01T00:00:02.000Z');
    await http.delete(`/v1/customers/${customerId}`).expect(204);
  });

  it('is refused while there are prepaid credits, also those that cannot be used yet', async () => {
    const customerId = await customerWithCard(workspace, null);
    await http
      .post('/v1/credit-types', { type: 'ai-credits', name: 'A', unitPrice: 1, currency: 'USD' })
      .expect(201);
    const path = `/v1/customers/${customerId}/wallets/ai-credits`;
    const grant = { amount: 12.5, effectiveAt: '2026-03-05T00:00:00Z', expiresAt: '2026-03-10T00:00:00Z' };
    await http.post(`${path}/grants`, grant).expect(201);
    await advanceClock(workspace, '2026-03-02T00:00:00.000Z');
    await refusedWith(customerId, 'customer_has_credits', '12.5 of ai-credits', 'void');
    await advanceClock(workspace, '2026-03-10T00:00:00.000Z');
    await http.delete(`/v1/customers/${customerId}`).expect(204);
    await http.get(path).expect(404);
  });

  it('is refused while the last invoice of a subscription that was canceled is in its grace period', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const plan = await createPlan(workspace, fee('Seat', 30, { timing: 'in_arrears' }));
    const { customerId, subscriptionId } = await subscribe(workspace, plan);
    await advanceClock(workspace, '2026-03-11T00:00:00.000Z');
    await http.post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true }).expect(200);
    await refusedWith(customerId, 'customer_has_open_invoices', 'inv_');
  });

  it('that slips through is not followed by a charge to the card', async () => {
    await http.put('/v1/billing-settings', { gracePeriodHours: 24 }).expect(200);
    const customerId = await customerWithCard(workspace);
    const id = await createInvoice(system, workspace, customerId);
    const context = await commandContextOf(system, workspace.workspaceId);
    await system.api.get(CommandBus, { strict: false }).execute(new DeleteCustomer(context, customerId));
    await advanceClock(workspace, '2026-03-05T00:00:00.000Z');
    const { body } = await http.get(`/v1/invoices/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'open', amountPaid: 0 });
    expect((await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200)).body.data).toEqual([]);
  });
});

describe('Idempotency-Key', () => {
  it('is refused as in use, before the time limit of requests, while its first request is at work', async () => {
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    beforeCommand(system.api, 'CreateCustomer', () => {
      begun.resolve();
      return released.promise;
    });
    const send = () => http.post('/v1/customers', { name: 'Once' }).set('Idempotency-Key', 'held');
    const first = send().then(({ status }) => status);
    try {
      await begun.promise;
      const { status, body } = await send();
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
    } finally {
      released.resolve();
      jest.restoreAllMocks();
    }
    expect(await first).toBe(201);
  });

  const create = (key: string, body: object = { name: 'A' }, as: Client = http) =>
    as.post('/v1/customers', body).set('idempotency-key', key);

  it('gives the first answer again, and says so', async () => {
    const { body: first, headers } = await create('k1', { name: 'A', metadata: { a: 1, b: 2 } }).expect(201);
    expect(headers['idempotency-replayed']).toBeUndefined();
    const second = await create('k1', { metadata: { b: 2, a: 1.0 }, name: 'A' }).expect(201);
    expect(second.body).toEqual(first);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect((await http.get('/v1/customers').expect(200)).body.data).toHaveLength(1);
  });

  it('gives the first answer again although its checks would fail now, also if that answer was lost', async () => {
    const made = async (path: string, body: object) =>
      (await http.post(path, body).expect(201)).body.id as string;
    const requests: (() => Promise<{ answer: string; id: string }>)[] = [];
    const once = async (path: string, body: object) => {
      const key = `request-${requests.length}`;
      const send = async () => {
        const answer = await http.post(path, body).set('idempotency-key', key);
        return {
          answer: `${path}: ${answer.status} ${JSON.stringify(answer.body.details ?? answer.body.code ?? null)}`,
          id: answer.body.id as string,
        };
      };
      requests.push(send);
      const { answer, id } = await send();
      expect(answer).toMatch(/: 20. null$/);
      return id;
    };
    const taxRateId = await made('/v1/tax-rates', { name: 'VAT', percentage: 19 });
    await made('/v1/credit-types', { type: 'ai-credits', name: 'AI', unitPrice: 1, currency: 'USD' });
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    const metricId = await made('/v1/metrics', { name: 'm', aggregation: { type: 'count' } });
    const priceId = await once('/v1/prices', { name: 'p', metricId, config, taxRateIds: [taxRateId] });
    const planId = await once('/v1/plans', {
      name: 'plan',
      prices: [priceId],
      features: [{ featureId: 'seats', name: 'Seats', type: 'numeric', limit: 5, metricId }],
    });
    await once('/v1/coupons', { name: 'c', percentOff: 10, planIds: [planId] });
    const customerId = await once('/v1/customers', { name: 'A', taxRateIds: [taxRateId] });
    await once('/v1/usage-limits', { customerId, metricId, limit: 5, per: 'month', action: 'block' });
    await once(`/v1/customers/${customerId}/balance`, { amount: 5, reason: 'Gift' });
    await once(`/v1/customers/${customerId}/balance`, { amount: -5, reason: 'Back' });
    await once(`/v1/customers/${customerId}/wallets/ai-credits/grants`, { amount: 5 });
    await once(`/v1/customers/${customerId}/wallets/ai-credits/void`, { amount: 5 });
    await http.post(`/v1/tax-rates/${taxRateId}/archive`, {}).expect(200);
    await http.delete(`/v1/plans/${planId}`).expect(204);
    for (const path of [`prices/${priceId}`, `metrics/${metricId}`, `customers/${customerId}`])
      await http.delete(`/v1/${path}`).expect(204);
    await db.query('DELETE FROM idempotency.answers WHERE workspace_id = $1', [workspace.workspaceId]);
    const answers: string[] = [];
    for (const send of requests) answers.push((await send()).answer);
    expect(answers.filter((answer) => !/: 20. null$/.test(answer))).toEqual([]);
  });

  it('is refused with another body', async () => {
    await create('k1').expect(201);
    const { body } = await create('k1', { name: 'Another' }).expect(409);
    expect(body).toMatchObject({
      code: 'idempotency_key_reused',
      details: [{ field: 'Idempotency-Key' }],
    });
    expect((await http.get('/v1/customers').expect(200)).body.data).toHaveLength(1);
    expect((await create('k1').expect(201)).headers['idempotency-replayed']).toBe('true');
  });

  it('keeps no part of the body in the clear', async () => {
    await create('k1', { name: 'Ada Lovelace', email: 'ada@example.com' }).expect(201);
    const { rows } = await db.query<{ row: string; digest: Buffer }>(
      `SELECT a::text AS row, digest FROM idempotency.answers a WHERE workspace_id = $1`,
      [workspace.workspaceId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.digest).toHaveLength(32);
    expect(rows[0]!.row).not.toMatch(/lovelace|example\.com/i);
  });

  it('gives answers again that were stored before requests were compared', async () => {
    await create('k1').expect(201);
    await db.query('UPDATE idempotency.answers SET digest = NULL WHERE workspace_id = $1', [
      workspace.workspaceId,
    ]);
    const { headers } = await create('k1', { name: 'Another' }).expect(201);
    expect(headers['idempotency-replayed']).toBe('true');
  });

  it('makes one customer of twenty identical requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('k1').expect(201)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
    expect((await http.get('/v1/customers').expect(200)).body.data).toHaveLength(1);
  });

  it('belongs to one workspace', async () => {
    const other = await system.workspace();
    const { body: mine } = await create('k1').expect(201);
    const { body: theirs } = await create('k1', { name: 'A' }, other.http).expect(201);
    expect(theirs.id).not.toBe(mine.id);
  });

  it('is not used up by a request that was refused', async () => {
    await create('k1', { name: '' }).expect(400);
    await create('k1', { name: 'A' }).expect(201);
  });

  it('must be printable', async () => {
    const { body } = await create('k'.repeat(256)).expect(400);
    expect(body.details[0].field).toBe('Idempotency-Key');
  });
});
