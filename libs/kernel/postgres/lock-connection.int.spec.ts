import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import {
  createDatabase,
  createPool,
  cutConnections,
  type TestDatabase,
} from '../../../test/support/index.js';
import { tryLock, withLockConnection } from './index.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createDatabase();
  pool = createPool(database);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const never = new AbortController().signal;
const isFree = () => withLockConnection(pool, never, (connection) => tryLock(connection, '7'));

describe('work under a lock', () => {
  it('excludes others until it is done', async () => {
    const signal = await withLockConnection(pool, never, async (connection, during) => {
      expect(await tryLock(connection, '$1::int', [7])).toBe(true);
      expect(await isFree()).toBe(false);
      expect(during.aborted).toBe(false);
      return during;
    });
    expect(await isFree()).toBe(true);
    expect(signal.aborted).toBe(true);
  });

  it('waits for a connection longer than a busy pool does', async () => {
    const small = createPool(database, 1);
    const held = await small.connect();
    small.options.connectionTimeoutMillis = 1;
    try {
      const running = withLockConnection(small, never, () => Promise.resolve('done'));
      await expect(small.connect()).rejects.toThrow('timeout exceeded');
      held.release();
      expect(await running).toBe('done');
    } finally {
      await small.end();
    }
  });

  it('asks again if the server accepts a connection and does not answer', async () => {
    const { hostname, port } = new URL(database.url);
    let accepted = 0;
    const slow = createServer((socket) => {
      if (accepted++ > 0) socket.pipe(connect(Number(port), hostname)).pipe(socket);
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(database.url);
    url.port = String((slow.address() as AddressInfo).port);
    const behind = createPool({ url: url.href });
    behind.options.connectionTimeoutMillis = 500;
    try {
      expect(await withLockConnection(behind, never, () => Promise.resolve('done'))).toBe('done');
      expect(accepted).toBeGreaterThan(1);
    } finally {
      await behind.end();
      slow.close();
    }
  });

  it('leaves the lock free when it fails', async () => {
    const failing = withLockConnection(pool, never, async (connection) => {
      await tryLock(connection, '7');
      throw new Error('no luck');
    });
    await expect(failing).rejects.toThrow('no luck');
    expect(await isFree()).toBe(true);
  });

  it('is aborted at once when the connection is lost', async () => {
    const told = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    const running = withLockConnection(pool, never, async (connection, signal) => {
      await tryLock(connection, '7');
      await connection.query(`SET application_name = 'holder'`);
      signal.addEventListener('abort', () => told.resolve(), { once: true });
      holding.resolve();
      return new Promise<never>(() => undefined);
    });
    await holding.promise;
    const rejected = expect(running).rejects.toThrow(/terminat/i);
    await cutConnections(pool, 'holder');
    await Promise.all([rejected, told.promise]);
  });
});
