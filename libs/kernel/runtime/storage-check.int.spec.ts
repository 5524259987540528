import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/index.js';
import { runChecks, storageCheck } from './index.js';

let database: TestDatabase;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database?.drop();
});

const connect = (options: string): pg.Pool => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1, options });
  pools.push(pool);
  return pool;
};

it('passes while Postgres can write files', async () => {
  expect(await runChecks(storageCheck(connect('')))).toEqual({
    ready: true,
    checks: { storage: { status: 'ok' } },
  });
});

it('fails when Postgres can write no more files, although it can read', async () => {
  // The quota takes the place of a disk without room.
  const full = connect('-c temp_file_limit=64kB');
  await full.query('SELECT 1');
  const message = 'Postgres cannot write to its disk';
  expect(await runChecks(storageCheck(full))).toEqual({
    ready: false,
    checks: { storage: { status: 'unavailable', message } },
  });
});
