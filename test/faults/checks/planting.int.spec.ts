import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createDatabase, createPool, type TestDatabase } from '../../support/database.ts';
import { changeRow, copyRow, removeRow } from './planting.ts';

const rows = { table: 'invoices', key: ['id'], where: 'workspace_id = $1' };
let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database);
  await pool.query(`CREATE TABLE invoices (id text, workspace_id text, amount_due numeric, state jsonb);
    INSERT INTO invoices VALUES ('inv_1', 'acc_1', 10.00, '{"total": "10.00"}')`);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

it('puts every row back as it was, with the decimals of its numbers', async () => {
  const all = async (): Promise<unknown> => (await pool.query('SELECT t::text FROM invoices t')).rows;
  const before = await all();
  const plantings = [
    () => removeRow(pool, rows, 'acc_1'),
    () => copyRow(pool, rows, 'acc_1', { id: 'inv_2' }),
    () => changeRow(pool, rows, 'acc_1', () => ({ amount_due: 11 })),
  ];
  for (const plant of plantings) {
    const undo = await plant();
    expect(await all()).not.toEqual(before);
    await undo();
    expect(await all()).toEqual(before);
  }
});
