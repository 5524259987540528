import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { createDatabase, createPool, Gate, type TestDatabase } from '../../../test/support/index.js';
import { untilWaiting } from '../../../test/support/usage.js';
import { AdvisoryLocks, LockBusy, type AdvisoryLocksOptions } from './advisory-locks.js';

let database: TestDatabase;
let pool: Pool;
let opened: AdvisoryLocks[];

beforeEach(async () => {
  database = await createDatabase();
  pool = createPool(database);
  opened = [];
});
afterEach(async () => {
  for (const locks of opened) await locks.onApplicationShutdown();
  await pool.end();
  await database.drop();
});

/** Creates the locks of one process. */
function locksOf(options: Partial<AdvisoryLocksOptions>): AdvisoryLocks {
  const defaults = { maxConnections: 2, lockWaitMillis: 60_000, applicationName: 'locks' };
  const locks = new AdvisoryLocks(database.url, { ...defaults, ...options });
  opened.push(locks);
  return locks;
}

/** Acquires the lock, and holds it until it is released. */
async function held(locks: AdvisoryLocks, name: string, party?: string) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = locks.runLocked(
    name,
    async () => {
      arrived.resolve();
      await released.promise;
    },
    party,
  );
  await Promise.race([arrived.promise, done]);
  return {
    release: async (): Promise<void> => {
      released.resolve();
      await done;
    },
  };
}

const at = (order: string[], name: string) => (): Promise<void> => {
  order.push(name);
  return Promise.resolve();
};

describe('advisory locks', () => {
  it('leave their connections to others while many wait for one lock', async () => {
    const locks = locksOf({ maxConnections: 2 });
    const first = await held(locks, 'a');
    const order: string[] = [];
    const waiting = ['second', 'third', 'fourth'].map((name) => locks.runLocked('a', at(order, name)));
    await locks.runLocked('b', at(order, 'other'));
    expect(order).toEqual(['other']);
    await first.release();
    await Promise.all(waiting);
    expect(order).toEqual(['other', 'second', 'third', 'fourth']);
  });

  it('leave connections to other parties while one has as many as it may', async () => {
    const locks = locksOf({ maxConnections: 3, connectionsPerParty: 2 });
    const held1 = await held(locks, 'a', 'one');
    const held2 = await held(locks, 'b', 'one');
    const order: string[] = [];
    const waiting = locks.runLocked('c', at(order, 'one'), 'one');
    await locks.runLocked('d', at(order, 'other'), 'other');
    await locks.runLocked('d', at(order, 'other again'), 'other');
    expect(order).toEqual(['other', 'other again']);
    await held1.release();
    await waiting;
    await held2.release();
  });

  it('throw an error if a lock is not free in time, in this or another process', async () => {
    const locks = locksOf({ lockWaitMillis: 1 });
    const first = await held(locks, 'a');
    const work = (): Promise<void> => Promise.reject(new Error('must not run'));
    await expect(locks.runLocked('a', work)).rejects.toThrow(LockBusy);
    await expect(locksOf({ lockWaitMillis: 1 }).runLocked('a', work)).rejects.toThrow(LockBusy);
    await first.release();
  });

  it('are shared by callers that allow it, and then wait for none of them', async () => {
    const locks = locksOf({ maxConnections: 3 });
    const order: string[] = [];
    const others = locksOf({ maxConnections: 1 });
    await locks.runShared('a', async () => {
      await others.runShared('a', at(order, 'together, in another process'));
      await expect(locksOf({ lockWaitMillis: 1 }).runLocked('a', at(order, 'alone'))).rejects.toThrow(
        LockBusy,
      );
    });
    await others.runLocked('a', async () => {
      order.push('alone');
      await expect(locksOf({ lockWaitMillis: 1 }).runShared('a', at(order, 'together'))).rejects.toThrow(
        LockBusy,
      );
    });
    await locks.runShared('a', at(order, 'together again'));
    expect(order).toEqual(['together, in another process', 'alone', 'together again']);
  });

  it('take one connection for all who share a lock', async () => {
    const locks = locksOf({ maxConnections: 1 });
    const gate = new Gate(20);
    await Promise.all(Array.from({ length: 20 }, () => locks.runShared('a', () => gate.pass())));
    await locks.runLocked('a', () => Promise.resolve());
  });

  it('refuse all who wait together, and nobody after them', async () => {
    const locks = locksOf({ lockWaitMillis: 1 });
    const other = locksOf({});
    const holder = await held(other, 'a');
    const work = () => Promise.resolve('done');
    const together = await Promise.allSettled([1, 2].map(() => locks.runShared('a', work)));
    expect(together).toMatchObject([{ reason: expect.any(LockBusy) }, { reason: expect.any(LockBusy) }]);
    await holder.release();
    expect(await locks.runShared('a', work)).toBe('done');
  });

  it('let a caller that waits to be alone go before those who come when it has waited', async () => {
    const [locks, other] = [locksOf({ maxConnections: 2 }), locksOf({})];
    const order: string[] = [];
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const first = locks.runShared('a', async () => {
      arrived.resolve();
      await release.promise;
      order.push('first');
    });
    await arrived.promise;
    const alone = other.runLocked('a', at(order, 'alone'));
    await untilWaiting(pool, 1);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
    const late = locks.runShared('a', at(order, 'late'));
    jest.restoreAllMocks();
    await untilWaiting(pool, 2);
    release.resolve();
    await Promise.all([first, alone, late]);
    expect(order).toEqual(['first', 'alone', 'late']);
  });

  it('throw an error if no connection is free in time', async () => {
    const locks = locksOf({ maxConnections: 1, connectionMillis: 300 });
    // The limit includes the time to open the first connection, for which a slow machine needs longer.
    let first: Awaited<ReturnType<typeof held>> | undefined;
    while (!first) first = await held(locks, 'a', 'one').catch(() => undefined);
    const work = (): Promise<void> => Promise.reject(new Error('must not run'));
    const refusal = { status: 503, code: 'too_many_at_work' };
    await Promise.all([
      expect(locks.runLocked('b', work, 'one')).rejects.toMatchObject(refusal),
      expect(locks.runLocked('c', work, 'other')).rejects.toMatchObject(refusal),
    ]);
    await first.release();
  });
});
