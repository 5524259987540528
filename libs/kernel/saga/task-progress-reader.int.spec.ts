import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { TaskProgressReader } from './task-progress-reader.js';

const WORKSPACE = 'acc_1';
const NOW = '2026-03-01T00:00:00.000Z';

let database: TestDatabase;
/** A pool with one connection, so that its prepared statements and its reads can be examined. */
let pool: pg.Pool;
let progress: TaskProgressReader;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 1);
  progress = new TaskProgressReader(pool);
  await pool.query(
    `INSERT INTO workspaces.clocks (workspace_id, mode, frozen_at)
     SELECT 'acc_' || n, 'sandbox', $1 FROM generate_series(1, 20) n`,
    [NOW],
  );
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

interface Tasks {
  status?: 'pending' | 'running' | 'done';
  clock?: 'workspace' | 'system';
  dueAt?: string;
}

let batches = 0;
async function add(
  workspaceId: string,
  count: number,
  { status = 'pending', clock = 'workspace', dueAt = NOW }: Tasks = {},
): Promise<void> {
  await pool.query(
    `INSERT INTO saga.tasks (id, process, name, workspace_id, payload, due_at, clock, status, event_id, correlation_id, done_at)
     SELECT 'tsk_' || $1 || '_' || n, 'billing', 'work', $2, '{}', $3, $4, $5::text, 'event', 'request',
       CASE WHEN $5::text = 'done' THEN now() END
     FROM generate_series(1, $6::int) n`,
    [++batches, workspaceId, dueAt, clock, status, count],
  );
}

/** Returns the number of tasks that Postgres reads for the answer. */
async function tasksRead(ask: () => Promise<unknown>): Promise<number> {
  await pool.query('BEGIN');
  await ask();
  const { rows } = await pool.query<{ read: number }>(
    `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
     FROM pg_stat_xact_user_tables WHERE relid = 'saga.tasks'::regclass`,
  );
  await pool.query('COMMIT');
  return rows[0]!.read;
}

describe('whether a task of a workspace is due and not finished', () => {
  it.each<[string, Tasks, boolean]>([
    ['waits and is due', {}, true],
    ['is being performed', { status: 'running' }, true],
    ['is done', { status: 'done' }, false],
    ['is not due yet', { dueAt: '2026-03-01T00:00:01.000Z' }, false],
    ['is due by the clock of the machine', { clock: 'system' }, false],
  ])('is right of one that %s', async (_, task, unfinished) => {
    await add('acc_2', 1);
    await add(WORKSPACE, 1, task);
    expect(await progress.hasUnfinishedTasks(WORKSPACE)).toBe(unfinished);
  });

  it('is no of a workspace without a clock of its own', async () => {
    expect(await progress.hasUnfinishedTasks('acc_unknown')).toBe(false);
  });

  it.each([{ counted: 'before Postgres has counted them' }, { counted: 'afterwards' }])(
    'is known without reading every task that was ever stored, $counted',
    async ({ counted }) => {
      await pool.query('VACUUM ANALYZE saga.tasks');
      // After this many calls, Postgres keeps the plan that it made for an empty table.
      for (let n = 0; n < 10; n += 1) await progress.hasUnfinishedTasks(WORKSPACE);
      await add(WORKSPACE, 20_000, { status: 'done' });
      for (let n = 2; n <= 20; n += 1) await add(`acc_${n}`, 500);
      await add(WORKSPACE, 3_000, { clock: 'system' });
      await add(WORKSPACE, 100, { dueAt: '2026-04-01T00:00:00.000Z' });
      if (counted === 'afterwards') await pool.query('ANALYZE saga.tasks');
      expect(await tasksRead(() => progress.hasUnfinishedTasks(WORKSPACE))).toBeLessThan(10);
      await add(WORKSPACE, 500);
      expect(await tasksRead(() => progress.hasUnfinishedTasks(WORKSPACE))).toBeLessThan(10);
    },
  );
});
