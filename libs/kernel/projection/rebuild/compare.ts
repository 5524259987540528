import type { PoolClient } from 'pg';
import type { TableLayout } from '../table-layout.js';

/**
 * A row that differs between the live table and the table that was built from the events. A `missing` row is only in the built table, an
 * `unexpected` row only in the live table. The values of a table are null if the table does not have the row. Values are in the form in
 * which Postgres prints them.
 */
export interface RowDifference {
  table: string;
  /** The values of the primary key, by column. */
  key: Record<string, string>;
  kind: 'changed' | 'missing' | 'unexpected';
  /** The columns that differ, for a changed row. */
  columns: { column: string; live: string | null; expected: string | null }[];
}

/** The result of a comparison of two tables. */
export interface TableComparison {
  table: string;
  /** The number of rows of the table that was built from the events. */
  rows: number;
  /** The number of rows that differ. */
  differences: number;
  /** The first differences, in the order of their keys. */
  first: RowDifference[];
}

/**
 * Compares a live table with the table that was built from the events, row by row, by the text of each value. The transaction must see both
 * tables at the same log position.
 */
export async function compareTables(
  tx: PoolClient,
  layout: TableLayout,
  [live, expected]: readonly [live: string, expected: string],
  shown: number,
): Promise<TableComparison> {
  const { table, keyColumns: keys } = layout;
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
  { table, columns, keyColumns: keys }: TableLayout,
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
