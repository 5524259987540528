import type { PoolClient } from 'pg';
import type { TableLayout } from '../table-layout.js';

/** A row that is not the same in two tables; a side is null where there is no such row. Values are as Postgres prints them. */
export interface RowDifference {
  table: string;
  /** Values of the primary key by column. */
  key: Record<string, string>;
  kind: 'changed' | 'missing' | 'unexpected';
  /** The columns that differ, of a changed row. */
  columns: { column: string; live: string | null; expected: string | null }[];
}

/** The result of a comparison of two tables. */
export interface TableComparison {
  table: string;
  rows: number;
  differences: number;
  /** The first of them, in order of their keys. */
  first: RowDifference[];
}

/**
 * Compares a live table row by row, to the last bit, with the one that was made of the events. In a transaction that
 * sees both at one position.
 */
export async function compareTables(
  tx: PoolClient,
  layout: TableLayout,
  [live, expected]: readonly [live: string, expected: string],
  shown: number,
): Promise<TableComparison> {
  const { table, keys } = layout;
  // Rows are compared as text, not as values: 1.5 and 1.50 are equal numbers but two different answers.
  const joined = `
    FROM ${live}.${table} l FULL JOIN ${expected}.${table} e ON ${keys.map((key) => `l.${key} = e.${key}`).join(' AND ')}
    WHERE l.${keys[0]} IS NULL OR e.${keys[0]} IS NULL OR l *<> e`;
  const { rows: counts } = await tx.query<{ rows: number; differences: number }>(
    `SELECT (SELECT count(*) FROM ${expected}.${table})::float8 AS rows, (SELECT count(*) ${joined})::float8 AS differences`,
  );
  const { rows, differences } = counts[0]!;
  const first = differences === 0 ? [] : await firstDifferences(tx, layout, joined, shown);
  return { table, rows, differences, first };
}

async function firstDifferences(
  tx: PoolClient,
  { table, columns, keys }: TableLayout,
  joined: string,
  shown: number,
): Promise<RowDifference[]> {
  const sides = columns.flatMap(({ name }) => [`l.${name}::text`, `e.${name}::text`]);
  const { rows } = await tx.query<(string | null)[]>({
    text: `SELECT ${sides.join(', ')} ${joined}
           ORDER BY ${keys.map((key) => `coalesce(l.${key}, e.${key})`).join(', ')} LIMIT ${shown}`,
    rowMode: 'array',
  });
  return rows.map((values) => {
    const compared = columns.map(({ name }, i) => ({
      column: name,
      live: values[2 * i]!,
      expected: values[2 * i + 1]!,
    }));
    const keyed = compared.filter(({ column }) => keys.includes(column));
    const [{ live, expected }] = keyed as [(typeof keyed)[number]];
    const kind = live === null ? 'missing' : expected === null ? 'unexpected' : 'changed';
    return {
      table,
      key: Object.fromEntries(keyed.map((one) => [one.column, one.live ?? one.expected])),
      kind,
      columns: kind === 'changed' ? compared.filter((one) => one.live !== one.expected) : [],
    };
  });
}
