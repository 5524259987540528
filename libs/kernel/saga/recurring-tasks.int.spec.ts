import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { inTransaction } from '#libs/kernel/postgres';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { requestRecurringTasks } from './recurring-tasks.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const arm = (...subjects: string[]) =>
  inTransaction(pool, (tx) =>
    requestRecurringTasks(
      tx,
      'billing',
      subjects.map((subject) => ({
        workspaceId: 'acc_1',
        subject,
        request: { name: 'look', payload: { subject }, queue: 'looks' },
      })),
    ),
  );
const stored = async () =>
  (
    await pool.query<{ subject: string; status: string; attempts: number; done: boolean }>(
      `SELECT event_id AS subject, status, attempts, done_at IS NOT NULL AS done FROM saga.tasks ORDER BY event_id`,
    )
  ).rows;
const set = (subject: string, change: string) =>
  pool.query(`UPDATE saga.tasks SET ${change} WHERE event_id = $1`, [subject]);

it('reuses one row, except for a task that is being performed, which must be requested again', async () => {
  expect((await arm('a', 'b')).sort()).toEqual(['a', 'b']);
  expect(await arm('a')).toEqual(['a']);
  await set('a', `status = 'running', attempts = 1`);
  await set('b', `attempts = 3, not_before = now() + interval '1 hour'`);
  // The task waits for its next attempt, and reads its data then.
  expect(await arm('a', 'b', 'c')).toEqual(expect.arrayContaining(['b', 'c']));
  expect(await stored()).toEqual([
    { subject: 'a', status: 'running', attempts: 1, done: false },
    { subject: 'b', status: 'pending', attempts: 3, done: false },
    { subject: 'c', status: 'pending', attempts: 0, done: false },
  ]);
  await set('a', `status = 'done', done_at = now()`);
  await set('b', `status = 'failed'`);
  expect((await arm('a', 'b')).sort()).toEqual(['a', 'b']);
  // The task counts as possibly performed before.
  expect((await stored()).slice(0, 2)).toEqual([
    { subject: 'a', status: 'pending', attempts: 1, done: false },
    { subject: 'b', status: 'pending', attempts: 1, done: false },
  ]);
});
