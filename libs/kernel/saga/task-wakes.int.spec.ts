import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { TaskStore } from './index.js';
import { insertTasksOfReactions } from './stored-tasks.js';

const workspaceId = 'acc_1';
const event = { eventId: 'event-1', workspaceId, correlationId: 'request-1' };
const [before, due, after] = [
  '2026-01-01T00:00:00.000Z',
  '2026-02-01T00:00:00.000Z',
  '2026-03-01T00:00:00.000Z',
] as const;

let database: TestDatabase;
let pool: pg.Pool;
let store: TaskStore;
let clock: WorkspaceClock;
/** A connection whose transaction the test holds open. */
let held: pg.PoolClient;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});
beforeEach(async () => {
  store = new TaskStore(pool);
  clock = new WorkspaceClock(pool);
  held = await pool.connect();
  await clock.create(workspaceId, 'sandbox');
  await clock.moveForwardTo(workspaceId, before);
});
afterEach(async () => {
  held.release(true);
  await pool.query('TRUNCATE saga.tasks, workspaces.clocks');
});

const timer = (db: pg.Pool | pg.PoolClient) =>
  insertTasksOfReactions(db, [
    { process: 'billing', event, requests: [{ name: 'bill', payload: {}, dueAt: due }] },
  ]);
const take = async () => (await store.takeDueTasks(1, 10, ['billing'])).map(({ name }) => name);
const isReady = async () =>
  (await pool.query<{ ready: boolean }>('SELECT ready FROM saga.tasks')).rows[0]!.ready;
const move = (db: pg.PoolClient, to: string) =>
  db.query('UPDATE workspaces.clocks SET frozen_at = $2 WHERE workspace_id = $1', [workspaceId, to]);

/** Resolves when a connection waits for a lock of another transaction. */
async function someoneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}

describe('a timer', () => {
  it('wakes when its workspace stands at its time, and sleeps again when the clock is set back', async () => {
    await timer(pool);
    expect(await store.millisUntilNextWork(['billing'])).toBeUndefined();
    await clock.freezeAt(workspaceId, after);
    expect(await isReady()).toBe(true);
    await clock.freezeAt(workspaceId, before);
    expect(await isReady()).toBe(false);
    expect(await take()).toEqual([]);
    await clock.moveForwardTo(workspaceId, due);
    expect(await take()).toEqual(['bill']);
  });

  it('that is stored as the clock passes it is not missed, whichever of the two commits first', async () => {
    await held.query('BEGIN');
    await timer(held);
    const moving = clock.moveForwardTo(workspaceId, after);
    await someoneWaits();
    await held.query('COMMIT');
    await moving;
    expect(await take()).toEqual(['bill']);

    await pool.query('TRUNCATE saga.tasks');
    await clock.freezeAt(workspaceId, before);
    await held.query('BEGIN');
    await move(held, after);
    const storing = timer(pool);
    await someoneWaits();
    await held.query('COMMIT');
    await storing;
    expect(await take()).toEqual(['bill']);
  });

  it('that failed as the clock moves on waits for its next attempt, and holds nobody up', async () => {
    await clock.moveForwardTo(workspaceId, due);
    await timer(pool);
    const [task] = await store.takeDueTasks(1, 1, ['billing']);
    await held.query('BEGIN');
    await move(held, after);
    const failing = store.recordFailure(task!, { message: 'no answer' }, 3_600_000);
    await someoneWaits();
    await held.query('COMMIT');
    await failing;
    expect(await take()).toEqual([]);
    expect(await store.millisUntilNextWork(['billing'])).toBeGreaterThan(3_000_000);
  });
});
