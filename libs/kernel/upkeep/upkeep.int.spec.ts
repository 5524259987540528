import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createLogger } from '#libs/kernel/system';
import { pruneAnswers } from '#libs/kernel/idempotency';
import { pruneTasks } from '#libs/kernel/saga';
import { pruneDeliveries } from '#libs/outputs/webhooks';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { Upkeep, type Retention } from './index.js';

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
afterEach(async () => {
  await pool.query('TRUNCATE idempotency.answers, saga.tasks, webhooks.deliveries CASCADE');
});

const days = 30;
const answers: Retention = { table: 'idempotency.answers', days, prune: pruneAnswers };
const tasks: Retention = { table: 'saga.tasks', days, prune: pruneTasks };
const deliveries: Retention = { table: 'webhooks.deliveries', days, prune: pruneDeliveries };

const round = (...retentions: Retention[]) =>
  new Upkeep(retentions, pool, 3).removeOldDataOnce(
    new AbortController().signal,
    createLogger('test', 'silent'),
  );
const idsOf = async (sql: string) => (await pool.query<{ id: string }>(sql)).rows.map(({ id }) => id);

describe('upkeep', () => {
  it('removes answers after their time, in as many batches as it takes', async () => {
    await pool.query(
      `INSERT INTO idempotency.answers (workspace_id, scope, key, status, body, created_at)
       SELECT 'acc_1', 'POST /x', 'old' || n, 201, '', now() - interval '31 days' FROM generate_series(1, 10) n
       UNION ALL SELECT 'acc_1', 'POST /x', 'new', 201, '', now() - interval '29 days'`,
    );
    await round(answers);
    expect(await idsOf('SELECT key AS id FROM idempotency.answers')).toEqual(['new']);
  });

  it('removes tasks that were done, and no others however old', async () => {
    await pool.query(
      `INSERT INTO saga.tasks
         (id, process, name, workspace_id, payload, due_at, clock, event_id, correlation_id, status, created_at, done_at)
       SELECT id, 'p', 'n', 'acc_1', '{}', now(), 'system', 'e', 'c', status, now() - interval '90 days', done_at
       FROM (VALUES ('done long ago', 'done', now() - interval '31 days'),
         ('done', 'done', now() - interval '29 days'), ('given up', 'failed', NULL), ('waiting', 'pending', NULL)
       ) AS given (id, status, done_at)`,
    );
    await round(tasks);
    expect(await idsOf('SELECT id FROM saga.tasks ORDER BY id')).toEqual(['done', 'given up', 'waiting']);
  });

  it('removes deliveries that have ended, with their attempts, and no others however old', async () => {
    await pool.query(
      `INSERT INTO webhooks.deliveries (id, workspace_id, webhook_id, event, body, is_test, status, created_at)
       SELECT id, 'acc_1', 'wh_1', 'invoice.paid', '{}', false, status, now() - age
       FROM (VALUES ('delivered long ago', 'delivered', interval '31 days'), ('failed long ago', 'failed', '31 days'),
         ('delivered', 'delivered', '29 days'), ('to be sent', 'pending', '31 days')) AS given (id, status, age)`,
    );
    await pool.query(
      `INSERT INTO webhooks.attempts (delivery_id, number, attempted_at, duration_millis)
       SELECT id, n, now(), 1 FROM webhooks.deliveries, generate_series(1, 2) n`,
    );
    await round(deliveries);
    expect(await idsOf('SELECT id FROM webhooks.deliveries ORDER BY id')).toEqual([
      'delivered',
      'to be sent',
    ]);
    expect(await idsOf('SELECT DISTINCT delivery_id AS id FROM webhooks.attempts ORDER BY 1')).toEqual([
      'delivered',
      'to be sent',
    ]);
  });

  it('leaves rows to a process that is removing them, and continues with the next table when one fails', async () => {
    const asked: string[] = [];
    const table = (name: string): Retention => ({
      table: name,
      days,
      prune: async () => {
        asked.push(name);
        if (name === 'failing') throw new Error('no');
        return 0;
      },
    });
    const other = await pool.connect();
    await other.query(`SELECT pg_advisory_lock(hashtextextended('upkeep', 0))`);
    await round(table('failing'), table('next'));
    expect(asked).toEqual([]);
    await other.query(`SELECT pg_advisory_unlock(hashtextextended('upkeep', 0))`);
    other.release();
    await round(table('failing'), table('next'));
    expect(asked).toEqual(['failing', 'next']);
  });
});
