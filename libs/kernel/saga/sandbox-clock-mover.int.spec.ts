import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { EventFeed } from '#libs/kernel/event-store';
import { AdvisoryLocks, NotificationListener } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { SandboxClockMover } from './sandbox-clock-mover.js';
import { insertTasksOfReactions, PROGRESS_CHANNEL } from './stored-tasks.js';

const workspaceId = 'acc_1';
const start = '2026-01-01T00:00:00.000Z';
const end = '2026-02-01T00:00:00.000Z';
/** More seconds than a slow machine needs for an advance. */
const PATIENT = 60;

let database: TestDatabase;
let pool: Pool;
let clock: WorkspaceClock;
let listener: NotificationListener;
let locks: AdvisoryLocks;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 2);
  clock = new WorkspaceClock(pool);
  await clock.create(workspaceId, 'sandbox');
  await clock.freezeAt(workspaceId, start);
  listener = new NotificationListener(database.url);
  await listener.start();
  locks = new AdvisoryLocks(database.url, {
    maxConnections: 4,
    lockWaitMillis: PATIENT * 1_000,
    applicationName: 'test locks',
  });
  // A reactor whose position is after all events.
  await pool.query(`INSERT INTO saga.checkpoints (process, position) VALUES ('billing', 1000000)`);
});
afterEach(async () => {
  await locks.onApplicationShutdown();
  await listener.close();
  await pool.end();
  await database.drop();
});

/** A log that grows at each read, because other workspaces are active. */
function busyLog(): EventFeed {
  let head = 0n;
  return { readHead: async () => ++head } as unknown as EventFeed;
}

const time = (stalledSeconds = PATIENT): SandboxClockMover =>
  new SandboxClockMover(pool, clock, busyLog(), listener, locks, { stalledSeconds });

describe('moving a clock while others are at work', () => {
  it('ends when its own workspace is quiet, not when the whole log is', async () => {
    expect(await time().advance(workspaceId, end)).toMatchObject({ now: end, frozen: true });
  });

  it('leaves connections for the work itself, however many clocks are moved at once', async () => {
    const advances = Array.from({ length: 4 }, () => time().advance(workspaceId, end));
    expect((await Promise.all(advances)).map(({ now }) => now)).toEqual(Array(4).fill(end));
  });

  it("gives up when its own workspace stands still, whatever others' tasks do, and says why", async () => {
    const event = { eventId: 'event-1', workspaceId, correlationId: 'request-1' };
    await insertTasksOfReactions(pool, [
      { process: 'billing', event, requests: [{ name: 'bill', payload: {} }] },
    ]);
    await pool.query(`UPDATE saga.tasks SET last_error = 'no gateway'`);
    let skipped = 0n;
    const now = process.hrtime.bigint.bind(process.hrtime);
    const elapsed = jest.spyOn(process.hrtime, 'bigint').mockImplementation(() => now() + skipped);
    const advance = time().advance(workspaceId, end);
    while ((await advisoryLocks()) === 0) await delay(10);
    // It has its turn. From here on the seconds pass quickly.
    const others = setInterval(() => {
      skipped += 1_000_000_000n;
      void pool.query('SELECT pg_notify($1, $2)', [PROGRESS_CHANNEL, 'acc_other']).catch(() => undefined);
    }, 20);
    await expect(advance)
      .rejects.toMatchObject({ code: 'clock_stalled', message: expect.stringContaining('bill: no gateway') })
      .finally(() => {
        clearInterval(others);
        elapsed.mockRestore();
      });
  });

  it('answers those who wait while no saga performs what is due: they do not wait for their turn', async () => {
    const event = { eventId: 'event-1', workspaceId, correlationId: 'request-1' };
    await insertTasksOfReactions(pool, [
      { process: 'billing', event, requests: [{ name: 'bill', payload: {} }] },
    ]);
    const first = time().advance(workspaceId, '2026-01-02T00:00:00.000Z');
    while ((await advisoryLocks()) === 0) await delay(10);
    const others = await Promise.allSettled([1, 2].map(() => time(0.3).advance(workspaceId, end)));
    expect(others).toEqual(
      Array(2).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'clock_stalled' }) }),
    );
    // The first one has the clock until its task is no longer due.
    await pool.query('UPDATE saga.tasks SET due_at = $1', [end]);
    await expect(first).resolves.toMatchObject({ now: '2026-01-02T00:00:00.000Z' });
    // Advances that gave up do not start when their turn comes.
    await expect(time().advance(workspaceId, '2026-01-03T00:00:00.000Z')).resolves.toMatchObject({
      now: '2026-01-03T00:00:00.000Z',
    });
  });
});

async function advisoryLocks(): Promise<number> {
  const { rows } = await pool.query<{ held: number }>(
    `SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows[0]?.held ?? 0;
}
