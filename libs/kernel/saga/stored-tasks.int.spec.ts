import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import type { TaskRequest } from './index.js';
import { insertTasksOfReactions } from './stored-tasks.js';

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

describe('a task that several events ask for', () => {
  it('is stored once if it names its subject, and once for each event otherwise', async () => {
    const storedOf = async (process: string, request: TaskRequest): Promise<number> => {
      for (const eventId of ['event-1', 'event-2', 'event-2']) {
        const event = { eventId, workspaceId: 'acc_1', correlationId: 'request-1' };
        await insertTasksOfReactions(pool, [{ process, event, requests: [request] }]);
      }
      const { rowCount } = await pool.query('SELECT 1 FROM saga.tasks WHERE process = $1', [process]);
      return rowCount!;
    };
    expect(await storedOf('of events', { name: 'tell', payload: {} })).toBe(2);
    expect(await storedOf('of a subject', { name: 'tell', payload: {}, subject: 'inv_1' })).toBe(1);
  });
});
