import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createMigratedDatabase, type TestDatabase, createPool } from '../../../test/support/index.js';
import { InvoiceLinkTokens } from './invoice-link-tokens.js';
import { InvoiceNumbers } from './document-number-sequences.js';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 10);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('invoice numbers', () => {
  it('are consecutive in each workspace, and an invoice keeps its number, for any number of simultaneous calls', async () => {
    const numbers = new InvoiceNumbers(pool);
    const ids = Array.from({ length: 20 }, (_, index) => `inv_${index}`);
    const reserve = (workspace: string) =>
      Promise.all([...ids, ...ids].map((id) => numbers.reserve(workspace, id)));
    const [one, two] = await Promise.all([reserve('acc_1'), reserve('acc_2')]);
    const expected = ids.map((_, index) => String(index + 1));
    for (const given of [one, two]) {
      expect(given.slice(0, 20)).toEqual(given.slice(20));
      expect(given.slice(0, 20).toSorted((a, b) => Number(a) - Number(b))).toEqual(expected);
    }
  });

  it('that were released go to the next invoice, lowest first', async () => {
    const numbers = new InvoiceNumbers(pool);
    for (const id of ['a', 'b', 'c']) await numbers.reserve('acc_3', id);
    await numbers.release('acc_3', 'b');
    await numbers.release('acc_3', 'a');
    await numbers.release('acc_3', 'a');
    expect(await numbers.reserve('acc_3', 'd')).toBe('1');
    expect(await numbers.reserve('acc_3', 'e')).toBe('2');
    expect(await numbers.reserve('acc_3', 'f')).toBe('4');
    expect(await numbers.reserve('acc_3', 'c')).toBe('3');
  });
});

describe('invoice links', () => {
  it('have one token each, even for two simultaneous calls', async () => {
    const links = new InvoiceLinkTokens(pool);
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => links.getOrCreateToken('acc_1', 'inv_1')),
    );
    expect(new Set(tokens).size).toBe(1);
    expect(await links.findInvoice(tokens[0]!)).toEqual({ workspaceId: 'acc_1', invoiceId: 'inv_1' });
    expect(
      await links.findInvoice(tokens[0]!.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))),
    ).toBeUndefined();
  });
});
