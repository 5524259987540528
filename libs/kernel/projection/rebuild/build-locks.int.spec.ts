import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createDatabase, createPool, type TestDatabase } from '../../../../test/support/index.js';
import { withBuildLocks } from './build-locks.js';

let database: TestDatabase;
let pool: pg.Pool;
let looker: pg.PoolClient;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database);
  looker = await pool.connect();
});
afterAll(async () => {
  looker?.release();
  await pool?.end();
  await database?.drop();
});

describe('the locks of a build', () => {
  it('are free as soon as its work is over, also when that has failed', async () => {
    const options = { waitForOtherBuilds: false, signal: new AbortController().signal };
    const locks = `SELECT count(*)::int AS held FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    const held = async (): Promise<number> => (await looker.query<{ held: number }>(locks)).rows[0]!.held;
    for (let times = 0; times < 30; times++) {
      expect(await withBuildLocks(pool, ['a', 'b'], options, held)).toBe(2);
      expect(await held()).toBe(0);
      const failing = withBuildLocks(pool, ['a'], options, async () =>
        Promise.reject(new Error('no such thing')),
      );
      await expect(failing).rejects.toThrow('no such thing');
      expect(await held()).toBe(0);
    }
  });
});
