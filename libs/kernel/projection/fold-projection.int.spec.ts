import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { Column, Entity, PrimaryColumn, type DataSource } from 'typeorm';
import type { DomainEvent } from '#libs/kernel/domain';
import { createDataSource, inTransaction, poolOf } from '#libs/kernel/postgres';
import { recordedEvent } from '#libs/kernel/testing';
import { createDatabase, type TestDatabase } from '../../../test/support/index.js';
import { foldProjection } from './fold-projection.js';
import type { ProjectionContext } from './projection.js';
import { SqlTable } from './read-table.js';
import { createTableSql, layoutOf } from './table-layout.js';

let database: TestDatabase;
let source: DataSource;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  source = createDataSource({
    url: database.url,
    poolSize: 1,
    applicationName: 'test',
    entities: [AccountSum],
  });
  await source.initialize();
  pool = poolOf(source);
  await pool.query(`CREATE SCHEMA folded; ${createTableSql(layoutOf(source, AccountSum), 'folded')}`);
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

describe('a projection that folds the events of each row', () => {
  it('writes no row that its events leave unchanged', async () => {
    await apply(added('changed', 1), added('unchanged', 1));
    const before = await rows();
    await apply(added('changed', 2), added('unchanged', 0));
    const after = await rows();
    expect(after.get('changed')).toMatchObject({ total: 3 });
    // Postgres sets xmin to the transaction that wrote the row last.
    expect(after.get('changed')!.xmin).not.toBe(before.get('changed')!.xmin);
    expect(after.get('unchanged')).toEqual(before.get('unchanged'));
  });

  it('computes columns once for all events of a row in a batch', async () => {
    const from = computedTotals.length;
    await apply(added('computed', 4), added('computed', -5), added('computed', 3));
    expect(computedTotals.slice(from)).toEqual([2]);
    expect((await rows()).get('computed')).toMatchObject({ total: 2, isPositive: true });
    await apply(added('computed', -9));
    expect((await rows()).get('computed')).toMatchObject({ total: -7, isPositive: false });
  });
});

interface Added extends DomainEvent {
  type: 'Added';
  data: { account: string; amount: number };
}

@Entity()
class AccountSum {
  @PrimaryColumn('text')
  account: string;

  @Column('integer')
  total: number;

  @Column('boolean')
  isPositive: boolean;
}

const computedTotals: number[] = [];

const sums = foldProjection<AccountSum, Added>({
  name: 'sums',
  version: 1,
  entity: AccountSum,
  eventTypes: ['Added'],
  keyOf: ({ data }) => data.account,
  evolve: (row, { data: { account, amount } }) => {
    if (row && amount === 0) return row;
    return { account, total: (row?.total ?? 0) + amount, isPositive: false };
  },
  withComputedColumns: (row) => {
    computedTotals.push(row.total);
    return { ...row, isPositive: row.total > 0 };
  },
});

function added(account: string, amount: number) {
  return recordedEvent<Added>(`account-${account}`, { type: 'Added', data: { account, amount } });
}

async function apply(...events: ReturnType<typeof added>[]): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const context: ProjectionContext = {
      table: (entity) => new SqlTable(layoutOf(source, entity), 'folded', tx),
    };
    await sums.apply(events, context);
  });
}

async function rows(): Promise<Map<string, { account: string; total: number; xmin: string }>> {
  const { table } = layoutOf(source, AccountSum);
  const result = await pool.query(`SELECT *, is_positive AS "isPositive", xmin FROM folded.${table}`);
  return new Map(result.rows.map((row) => [row.account, row]));
}
