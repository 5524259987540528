import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { Column, Entity, PrimaryColumn, type DataSource } from 'typeorm';
import { createDataSource, inTransaction, InstantColumn, poolOf } from '#libs/kernel/postgres';
import { createDatabase, type TestDatabase } from '../../../../test/support/index.js';
import { SqlTable, type ReadTable } from '../read-table.js';
import { createHeapSql, createTableSql, layoutOf, type EntityClass } from '../table-layout.js';
import { BuildTable } from './build-table.js';

let database: TestDatabase;
let source: DataSource;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  source = createDataSource({
    url: database.url,
    poolSize: 2,
    applicationName: 'test',
    entities: entities(),
  });
  await source.initialize();
  pool = poolOf(source);
  await pool.query('CREATE SCHEMA direct; CREATE SCHEMA built');
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});
beforeEach(emptyTables);

describe('a table that is being built', () => {
  it('has the same rows as one that is written to at once, also when another process continues it', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'a\\b\t"\n', 'é');
    await sameAsDirect(Thing, key, (one) =>
      fc.record({
        key: fc.constant(one),
        text: fc.option(fc.constantFrom('', '\\N', 'tab\tand\nlines\r', '\\', '"', 'Ω')),
        state: fc.constantFrom({ a: 'x\ty"z\\', b: [1, null, { c: '\n' }] }, [], 'text', 7, true),
        amount: fc.constantFrom('1.50', '0', '-12345678901234567890.123'),
        at: fc.constantFrom('2026-01-31T10:00:00.000Z', '1999-12-31T23:59:59.123Z'),
        flag: fc.boolean(),
      }),
    );
  });

  it('has every row of a batch whose text is sent in several pieces, and none of a batch that fails', async () => {
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({
        key: `key-${from + i}`,
        text: 'Ω\t'.repeat(50),
        state: { list: [from + i] },
        amount: '1.5',
        at: '2026-01-31T10:00:00.000Z',
        flag: true,
      }));
    const table = new BuildTable<Thing>(layoutOf(source, Thing), 'built');
    const write = (batch: Thing[]) =>
      inTransaction(pool, async (tx) => {
        await table.useTransaction(tx).upsert(batch);
        await table.flush();
      });
    await write(rows(0, 2_000));
    // JSON has no big integers. The row is in the last piece, after others were sent.
    await expect(write([...rows(2_000, 4_000), { ...rows(4_000, 4_001)[0]!, state: 1n }])).rejects.toThrow(
      'BigInt',
    );
    table.discardRows();
    await write(rows(4_000, 4_001));
    const { rows: found } = await pool.query(
      `SELECT count(*)::int, min(length(text)), max(length(text)), sum((state -> 'list' ->> 0)::int)::int FROM built.things`,
    );
    expect(found).toEqual([{ count: 2_001, min: 100, max: 100, sum: (1_999 * 2_000) / 2 + 4_000 }]);
  });

  it('finds the largest number as Postgres does', async () => {
    const number = fc.constantFrom('9', '10', '100', '-5', '9007199254740993');
    await sameAsDirect(Numbered, number, (one) =>
      fc.record({ number: fc.constant(one), text: fc.constantFrom('x', 'y') }),
    );
  });

  it('is written to at once when its key is more than one column', async () => {
    // Each first column has only one row, because rows are read by the first column alone.
    await sameAsDirect(Paired, fc.constantFrom('a', 'b'), (one) =>
      fc.record({ first: fc.constant(one), second: fc.constant(7), text: fc.constantFrom('x', 'y') }),
    );
  });

  it('forgets the changes of a transaction that was not committed', async () => {
    const table = new BuildTable<Numbered>(layoutOf(source, Numbered), 'built');
    const failed = inTransaction(pool, async (tx) => {
      await table.useTransaction(tx).upsert([{ number: '1', text: 'never' }]);
      await table.flush();
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    table.discardRows();
    await inTransaction(pool, async (tx) => {
      expect(await table.useTransaction(tx).rowsByKey(['1'])).toEqual(new Map());
      await table.upsert([{ number: '1', text: 'once' }]);
      await table.flush();
    });
    expect(await rowsOf('built', 'numbered')).toEqual([{ t: '(1,once)' }]);
  });

  it('has no index while rows are only added, and its primary key as soon as one is replaced', async () => {
    const table = new BuildTable<Numbered>(layoutOf(source, Numbered), 'built');
    const indexes = async (): Promise<object[]> =>
      (
        await pool.query<object>(
          `SELECT indisprimary FROM pg_index WHERE indrelid = 'built.numbered'::regclass`,
        )
      ).rows;
    for (const number of ['1', '2'])
      await inTransaction(pool, async (tx) => {
        await table.useTransaction(tx).upsert([{ number, text: 'first' }]);
        await table.flush();
      });
    expect(await indexes()).toEqual([]);
    await inTransaction(pool, async (tx) => {
      await table.useTransaction(tx).upsert([{ number: '1', text: 'second' }]);
      await table.flush();
    });
    expect(await indexes()).toEqual([{ indisprimary: true }]);
    expect(await rowsOf('built', 'numbered')).toEqual([{ t: '(1,second)' }, { t: '(2,first)' }]);
  });
});

@Entity({ schema: 'read', name: 'things' })
class Thing {
  @PrimaryColumn('text')
  key: string;

  @Column('text', { nullable: true })
  text: string | null;

  @Column('jsonb')
  state: unknown;

  @Column('numeric')
  amount: string;

  @InstantColumn()
  at: string;

  @Column('boolean')
  flag: boolean;
}

@Entity({ schema: 'read', name: 'numbered' })
class Numbered {
  @PrimaryColumn('bigint')
  number: string;

  @Column('text')
  text: string;
}

@Entity({ schema: 'read', name: 'paired' })
class Paired {
  @PrimaryColumn('text')
  first: string;

  @PrimaryColumn('integer')
  second: number;

  @Column('text')
  text: string;
}

function entities(): EntityClass[] {
  return [Thing, Numbered, Paired];
}

async function emptyTables(): Promise<void> {
  const layouts = entities().map((entity) => layoutOf(source, entity));
  await pool.query(
    layouts
      .flatMap((layout) => [
        `DROP TABLE IF EXISTS direct.${layout.table}, built.${layout.table}`,
        createTableSql(layout, 'direct'),
        createHeapSql(layout, 'built'),
      ])
      .join(';'),
  );
}

async function rowsOf(schema: string, table: string): Promise<object[]> {
  return (await pool.query<object>(`SELECT t::text FROM ${schema}.${table} t ORDER BY t`)).rows;
}

/** The calls that a projection can make on its table. */
type Step<Row> =
  | { do: 'upsert'; rows: Row[] }
  | { do: 'remove'; keys: string[] }
  | { do: 'byKey'; keys: string[] }
  | { do: 'last' };

/** Performs the steps of each batch in a transaction, and resolves to the rows that were read. */
async function run<Row extends object>(
  batches: Step<Row>[][],
  table: (tx: pg.PoolClient) => ReadTable<Row> & { flush?: () => Promise<void> },
): Promise<unknown[]> {
  const read: unknown[] = [];
  for (const batch of batches)
    await inTransaction(pool, async (tx) => {
      const within = table(tx);
      for (const step of batch) {
        if (step.do === 'upsert') await within.upsert(step.rows);
        else if (step.do === 'remove') await within.remove(step.keys);
        else if (step.do === 'last') read.push(await within.lastRow());
        else read.push(await within.rowsByKey(step.keys));
      }
      await within.flush?.();
    });
  return read;
}

/**
 * Applies random histories to a table that is being built and to one that is written to at once.
 * Both must come to the same rows.
 */
async function sameAsDirect<Row extends object>(
  entity: EntityClass<Row>,
  key: fc.Arbitrary<string>,
  row: (key: string) => fc.Arbitrary<Row>,
): Promise<void> {
  const layout = layoutOf(source, entity);
  const keys = fc.uniqueArray(key, { maxLength: 4 });
  const rows = keys.chain((some) => fc.tuple(...some.map(row)));
  const step: fc.Arbitrary<Step<Row>> = fc.oneof(
    { weight: 4, arbitrary: rows.map((some) => ({ do: 'upsert' as const, rows: some })) },
    keys.map((some) => ({ do: 'remove' as const, keys: some })),
    keys.map((some) => ({ do: 'byKey' as const, keys: some })),
    fc.constant({ do: 'last' as const }),
  );
  const batches = fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(6), async (history, crashed) => {
      await emptyTables();
      const direct = await run(history, (tx) => new SqlTable<Row>(layout, 'direct', tx));
      const first = new BuildTable<Row>(layout, 'built');
      const built = await run(history.slice(0, crashed), (tx) => first.useTransaction(tx));
      const second = new BuildTable<Row>(layout, 'built');
      await inTransaction(pool, (tx) => second.readStoredKeys(tx));
      built.push(...(await run(history.slice(crashed), (tx) => second.useTransaction(tx))));
      expect(built).toEqual(direct);
      expect(await rowsOf('built', layout.table)).toEqual(await rowsOf('direct', layout.table));
    }),
    { numRuns: 25 },
  );
}
