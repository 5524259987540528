import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { eraseAnswers, IdempotentRequests } from './index.js';

const SECRET = 'a secret that is long enough for a test of answers';
const WORKSPACE = 'acc_1';

let database: TestDatabase;
let pool: pg.Pool;
let requests: IdempotentRequests;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  requests = new IdempotentRequests(database.url, SECRET);
});
afterEach(async () => {
  await requests.onApplicationShutdown();
  await pool.end();
  await database.drop();
});

const store = (scope: string, body: object) =>
  requests.runOnce({ workspaceId: WORKSPACE, scope, key: 'key', content: {} }, async () => ({
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
    await eraseAnswers(pool, SECRET, WORKSPACE, new Set(['ada']));
    expect(await storedScopes()).toEqual([
      'POST /v1/customers/ada.2/payment-methods',
      'POST /v1/portal/payment-methods customer ada2',
    ]);
  });
});
