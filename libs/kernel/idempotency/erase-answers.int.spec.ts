import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { eraseAnswers, IdempotentRequests } from './index.js';

const SECRET = 'a secret that is long enough for a test of answers';
const WORKSPACE = 'acc_1';
/** A key that a client made of the address of a person. */
const KEY = 'sign-up-ada@example.com';

let database: TestDatabase;
let pool: pg.Pool;
let requests: IdempotentRequests;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  requests = new IdempotentRequests(database.url, [SECRET]);
});
afterEach(async () => {
  await requests.onApplicationShutdown();
  await pool.end();
  await database.drop();
});

const store = (scope: string, body: object, content: object = {}) =>
  requests.runOnce({ workspaceId: WORKSPACE, scope, key: KEY, content }, async () => ({
    status: 201,
    body: JSON.stringify(body),
  }));
const storedScopes = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ scope: string }>(
    'SELECT scope FROM idempotency.answers ORDER BY scope',
  );
  return rows.map(({ scope }) => scope);
};

describe('the erasure of stored answers', () => {
  it('removes each answer whose path, customer or body names the person, and no other', async () => {
    await store('POST /v1/portal/payment-methods customer ada', { label: 'Visa of Ada' });
    await store('POST /v1/customers/ada/payment-methods', { label: 'Visa of Ada' });
    await store('POST /v1/customers', { id: 'ada' });
    await store('POST /v1/portal/payment-methods customer ada2', { label: 'Visa of Bob' });
    await store('POST /v1/customers/ada.2/payment-methods', { label: 'Visa of Bob' });
    await eraseAnswers(pool, [SECRET], WORKSPACE, new Set(['ada']));
    expect(await storedScopes()).toEqual([
      'POST /v1/customers/ada.2/payment-methods',
      'POST /v1/portal/payment-methods customer ada2',
    ]);
  });

  it('removes an answer whose request alone names the person, by its body or its query', async () => {
    await store('POST /v1/metrics/evaluate', {}, { query: {}, body: { events: [{ customerId: 'ada' }] } });
    await store('POST /v1/licenses', {}, { query: { customer_id: 'ada' }, body: {} });
    await store(
      'POST /v1/events',
      {},
      { query: {}, body: [{ customerId: 'bob', properties: { id: 'ada' } }] },
    );
    await eraseAnswers(pool, [SECRET], WORKSPACE, new Set(['ada']));
    expect(await storedScopes()).toEqual(['POST /v1/events']);
  });

  it('removes answers of earlier versions, which do not know whom their request named', async () => {
    await store('POST /v1/events', {});
    await pool.query('UPDATE idempotency.answers SET request_ids = NULL');
    await eraseAnswers(pool, [SECRET], WORKSPACE, new Set(['ada']));
    expect(await storedScopes()).toEqual([]);
  });
});

describe('the text of an idempotency key', () => {
  it('is not stored', async () => {
    await store('POST /v1/customers', { id: 'bob' });
    const { rows } = await pool.query<{ row: string }>('SELECT a::text AS row FROM idempotency.answers a');
    expect(rows.filter(({ row }) => row.includes(KEY))).toEqual([]);
    expect(await store('POST /v1/customers', {})).toMatchObject({ body: '{"id":"bob"}', replayed: true });
  });

  it('still finds the answer that an earlier version stored under it', async () => {
    await store('POST /v1/customers', { id: 'bob' });
    await pool.query('UPDATE idempotency.answers SET key = $1', [KEY]);
    expect(await store('POST /v1/customers', {})).toMatchObject({ body: '{"id":"bob"}', replayed: true });
  });
});
