import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { NotificationListener } from '#libs/kernel/postgres';
import {
  createMigratedDatabase,
  createPool,
  cutConnections,
  type TestDatabase,
} from '../../../test/support/index.js';
import { ReadModelProgress } from './read-model-progress.js';

let database: TestDatabase;
let pool: pg.Pool;
let listener: NotificationListener;
let readModels: ReadModelProgress;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  await pool.query(
    `INSERT INTO projection.checkpoints (name, version, position) VALUES ('fast', 1, 9), ('slow', 1, 4)`,
  );
  listener = new NotificationListener(database.url);
  await listener.start();
  readModels = new ReadModelProgress(pool, listener);
  await readModels.onModuleInit();
});
afterEach(async () => {
  await listener.close();
  await pool.end();
  await database.drop();
});

const commit = (position: number) =>
  pool.query('UPDATE projection.checkpoints SET position = $1', [position]);

describe('waiting for the read models', () => {
  it('starts with the position of the slowest read model', async () => {
    expect(await readModels.waitFor(4n, 60_000)).toBe(true);
    expect(await readModels.waitFor(5n, 0)).toBe(false);
  });

  it('ends with the notification, for all that wait for this or an earlier position', async () => {
    const waiting = Promise.all([5n, 6n, 7n].map((position) => readModels.waitFor(position, 60_000)));
    await pool.query(`SELECT pg_notify('projected', '7 2')`);
    expect(await waiting).toEqual([true, true, true]);
    expect(await readModels.waitFor(8n, 0)).toBe(false);
  });

  it('ignores the notification of a projector that does not know that a read model was replaced', async () => {
    await pool.query(
      `UPDATE projection.checkpoints SET generation = generation + 1, position = 4 WHERE name = 'slow'`,
    );
    const waiting = readModels.waitFor(9n, 60_000);
    let hasEnded = false;
    void waiting.then(() => (hasEnded = true));
    await pool.query(`SELECT pg_notify('read_model_replaced', ''), pg_notify('projected', '9 2')`);
    // The notification after it, by a projector that knows.
    await commit(5);
    await pool.query(`SELECT pg_notify('projected', '5 3')`);
    expect(await readModels.waitFor(5n, 60_000)).toBe(true);
    expect(hasEnded).toBe(false);
    await pool.query(`SELECT pg_notify('projected', '9 3')`);
    expect(await waiting).toBe(true);
  });

  it('ends too when the notification was lost with the connection', async () => {
    const waiting = readModels.waitFor(10n, 60_000);
    await commit(10);
    await cutConnections(pool, 'countinghouse listener');
    expect(await waiting).toBe(true);
  });
});
