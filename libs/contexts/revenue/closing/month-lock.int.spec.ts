import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createDatabase, createPool, type TestDatabase } from '../../../../test/support/index.js';
import { MonthLock } from './month-lock.js';

let database: TestDatabase;
let pool: Pool;
/** Two processes that do not wait for each other. */
let saga: MonthLock;
let api: MonthLock;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database);
  [saga, api] = [new MonthLock(database.url, 1), new MonthLock(database.url, 1)];
});
afterAll(async () => {
  await Promise.all([saga, api].map((lock) => lock.onApplicationShutdown()));
  await pool.end();
  await database.drop();
});

const nothing = () => Promise.resolve();
const refusal = { status: 503, code: 'month_being_closed' };

describe('the lock of months', () => {
  it('refuses accruals and other closings during a closing, but for other workspaces', async () => {
    await api.runClosing('acc_1', async () => {
      await expect(saga.runAccrual('acc_1', nothing)).rejects.toMatchObject(refusal);
      await expect(saga.runClosing('acc_1', nothing)).rejects.toMatchObject(refusal);
      await saga.runAccrual('acc_2', nothing);
    });
    await saga.runAccrual('acc_1', nothing);
  });

  it('refuses a closing during an accrual, but no other accruals', async () => {
    await saga.runAccrual('acc_1', async () => {
      await expect(api.runClosing('acc_1', nothing)).rejects.toMatchObject(refusal);
      await saga.runAccrual('acc_1', nothing);
    });
    await api.runClosing('acc_1', nothing);
  });

  it('is known to be lost when its connection was', async () => {
    const lost = api.runClosing('acc_1', async (requireHeld) => {
      await requireHeld();
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'countinghouse revenue months'`,
      );
      await requireHeld();
      throw new Error('not noticed');
    });
    await expect(lost).rejects.not.toThrow('not noticed');
    await api.runClosing('acc_1', nothing);
  });
});
