import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, cutConnections, type TestDatabase } from '../../../test/support/index.js';
import { createDataSource, poolOf } from './index.js';

let database: TestDatabase;
let admin: pg.Client;

beforeEach(async () => {
  database = await createDatabase();
  admin = new pg.Client(database.url);
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await database.drop();
});

it('survives when the server ends its first connection while somebody uses it', async () => {
  const source = createDataSource({ url: database.url, poolSize: 2, applicationName: 'the one' });
  await source.initialize();
  const pool = poolOf(source);
  // The pool uses existing connections first, so this is the connection from initialize().
  const connection = await pool.connect();
  const ended = new Promise((resolve) => connection.once('end', resolve));
  await cutConnections(admin, 'the one');
  await ended;
  connection.release(true);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await source.destroy();
});
