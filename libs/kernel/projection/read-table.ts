import type { PoolClient } from 'pg';
import { preparedStatement } from '#libs/kernel/postgres';
import { rowFromColumnValues, selectSql, columnValuesOf, type TableLayout } from './table-layout.js';

/** Reads and writes batches of rows of one read-model table. The TypeORM entity has the column names and types. */
export interface ReadTable<Row extends object> {
  /** Returns the rows whose primary keys (the first column) are in `keys`: a map from the key to the row. */
  rowsByKey(keys: readonly string[]): Promise<Map<string, Row>>;
  /** The row with the largest primary key (the first column), if the table has rows. */
  lastRow(): Promise<Row | undefined>;
  /** Writes rows, and replaces rows with the same primary key. */
  upsert(rows: readonly Row[]): Promise<void>;
  /** Removes rows by their primary key (the first column). */
  remove(keys: readonly string[]): Promise<void>;
}

/** A read-model table to which each call writes immediately, in one statement. */
export class SqlTable<Row extends object> implements ReadTable<Row> {
  private readonly name: string;
  private readonly primary: string;
  private readonly byKeySql: string;
  private readonly lastSql: string;
  private readonly upsertSql: string;

  constructor(
    private readonly layout: TableLayout,
    schema: string,
    private readonly tx: PoolClient,
  ) {
    this.name = `${schema}.${layout.table}`;
    this.primary = layout.keyColumns[0]!;
    const select = selectSql(layout, schema);
    this.byKeySql = `${select} WHERE ${this.primary} = ANY($1)`;
    this.lastSql = `${select} ORDER BY ${this.primary} DESC LIMIT 1`;
    const columns = layout.columns.map(({ name }) => name);
    const others = columns.filter((column) => !layout.keyColumns.includes(column));
    this.upsertSql =
      `INSERT INTO ${this.name} (${columns.join(', ')}) ` +
      `SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::${this.name}, $1::jsonb) ` +
      `ON CONFLICT (${layout.keyColumns.join(', ')}) DO ` +
      (others.length === 0
        ? 'NOTHING'
        : `UPDATE SET ${others.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`);
  }

  async rowsByKey(keys: readonly string[]): Promise<Map<string, Row>> {
    if (keys.length === 0) return new Map();
    const { rows } = await this.tx.query<Record<string, unknown>>(preparedStatement(this.byKeySql, [keys]));
    return new Map(
      rows.map((row) => [String(row[this.primary]), rowFromColumnValues<Row>(this.layout, row)]),
    );
  }

  async lastRow(): Promise<Row | undefined> {
    const { rows } = await this.tx.query<Record<string, unknown>>(preparedStatement(this.lastSql, []));
    return rows[0] && rowFromColumnValues<Row>(this.layout, rows[0]);
  }

  async upsert(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const values = JSON.stringify(rows.map((row) => columnValuesOf(this.layout, row)));
    await this.tx.query(preparedStatement(this.upsertSql, [values]));
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (keys.length > 0)
      await this.tx.query(`DELETE FROM ${this.name} WHERE ${this.primary} = ANY($1)`, [keys]);
  }
}
