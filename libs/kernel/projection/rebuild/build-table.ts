import type { PoolClient } from 'pg';
import { SqlTable, type ReadTable } from '../read-table.js';
import { addPrimaryKeySql, type TableLayout } from '../table-layout.js';
import { copyRows } from './copy-rows.js';
import { KeyFilter } from './key-filter.js';

/** What is known about one key of the table. `row` is undefined if the table has no such row, or must lose it. */
interface Entry<Row> {
  row: Row | undefined;
  /** True if the table has a row with this key, false if not, undefined if unknown. */
  stored: boolean | undefined;
  /** True if the row still has to be written. */
  dirty: boolean;
}

/**
 * The largest number of rows of a table that a build keeps in memory after a batch of events. The number is large enough for the rows that
 * the next events will probably change.
 */
const REMEMBERED = 20_000;
/** The number of keys in one fetch, when a build is continued. */
const KEYS_PER_FETCH = 20_000;
/** The column types of numbers. With a key of such a type, the last row is the row with the largest number. */
const NUMBER_TYPES = new Set(['bigint', 'integer']);
/** The column types whose values have the same text in this program and in Postgres. */
const PLAIN_TYPES = new Set(['text', 'character varying', 'bigint', 'integer', 'uuid']);

/**
 * A table that is being filled from events. The changes of a batch are collected and written at the end of the batch: each row once, and
 * new rows by COPY. The table keeps a Bloom filter of the stored keys in memory, and its recently changed rows if rows are read by key. A
 * key that is not in the Bloom filter is certainly new, so the database is rarely read. The primary key is created only when the first row
 * must be looked up or replaced. While rows are only added, the table has no primary key, which halves the cost of adding them. Rows are
 * written immediately if the primary key is not one column of a type in `PLAIN_TYPES`.
 */
export class BuildTable<Row extends object> implements ReadTable<Row> {
  private readonly entries = new Map<string, Entry<Row>>();
  private readonly keys = new KeyFilter();
  private readonly keyProperty: string;
  private readonly gathers: boolean;
  private readonly isNumbered: boolean;
  /** The row whose key is the largest number, if this row is known. */
  private greatest: Row | undefined;
  /** True if the table has its primary key; undefined until this was checked in the database. */
  private isKeyed: boolean | undefined;
  /** True if rows were read by their key. Only then are written rows kept in memory. */
  private isRead = false;
  private tx: PoolClient | undefined;

  constructor(
    private readonly layout: TableLayout,
    private readonly schema: string,
  ) {
    const key = layout.columns.find(({ name }) => name === layout.keyColumns[0])!;
    this.keyProperty = key.property;
    this.gathers = layout.keyColumns.length === 1 && PLAIN_TYPES.has(key.type);
    this.isNumbered = this.gathers && NUMBER_TYPES.has(key.type);
  }

  /** Reads the keys of a table that another process has begun to fill. */
  async readStoredKeys(tx: PoolClient): Promise<void> {
    if (!this.gathers) return;
    await tx.query(
      `DECLARE keys NO SCROLL CURSOR FOR
       SELECT ${this.layout.keyColumns[0]}::text AS key FROM ${this.schema}.${this.layout.table}`,
    );
    for (let fetched = KEYS_PER_FETCH; fetched === KEYS_PER_FETCH;) {
      const { rows } = await tx.query<{ key: string }>(`FETCH ${KEYS_PER_FETCH} FROM keys`);
      for (const { key } of rows) this.keys.add(key);
      fetched = rows.length;
    }
    await tx.query('CLOSE keys');
  }

  /** Sets the transaction in which the next calls run. */
  useTransaction(tx: PoolClient): this {
    this.tx = tx;
    return this;
  }

  async rowsByKey(keys: readonly string[]): Promise<Map<string, Row>> {
    if (!this.gathers) return (await this.ensurePrimaryKey()).rowsByKey(keys);
    this.isRead ||= keys.length > 0;
    await this.fetch(keys.filter((key) => !this.entries.has(key) && this.keys.mayHave(key)));
    const found = new Map<string, Row>();
    for (const key of keys) {
      const row = this.entries.get(key)?.row;
      if (row !== undefined) found.set(key, row);
    }
    return found;
  }

  async lastRow(): Promise<Row | undefined> {
    if (this.greatest !== undefined) return this.greatest;
    await this.flush();
    const last = await this.sql.lastRow();
    if (this.isNumbered) this.greatest = last;
    return last;
  }

  async upsert(rows: readonly Row[]): Promise<void> {
    if (!this.gathers) return (await this.ensurePrimaryKey()).upsert(rows);
    for (const row of rows) {
      const key = this.keyOf(row);
      if (this.greatest !== undefined && BigInt(key) >= BigInt(this.keyOf(this.greatest)))
        this.greatest = row;
      this.remember(key, { row, stored: this.isStored(key), dirty: true });
      this.keys.add(key);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (!this.gathers) return (await this.ensurePrimaryKey()).remove(keys);
    this.greatest = undefined;
    for (const key of keys) {
      const stored = this.isStored(key);
      this.remember(key, { row: undefined, stored, dirty: stored !== false });
    }
  }

  /** Writes the collected rows. */
  async flush(): Promise<void> {
    const fresh: Row[] = [];
    const changed: Row[] = [];
    const gone: string[] = [];
    for (const [key, entry] of this.entries) {
      if (!entry.dirty) continue;
      if (entry.row === undefined) gone.push(key);
      else if (entry.stored === false) fresh.push(entry.row);
      else changed.push(entry.row);
      entry.dirty = false;
      entry.stored = entry.row !== undefined;
    }
    if (gone.length > 0) await (await this.ensurePrimaryKey()).remove(gone);
    await copyRows(this.tx!, this.layout, this.schema, fresh);
    if (changed.length > 0) await (await this.ensurePrimaryKey()).upsert(changed);
    this.trim();
  }

  /** Removes the rows from memory after a transaction that may have changed them and did not commit. */
  discardRows(): void {
    this.entries.clear();
    this.greatest = undefined;
    this.isKeyed = undefined;
  }

  /** Returns the table, and creates its primary key if it has none. */
  async ensurePrimaryKey(): Promise<SqlTable<Row>> {
    const tx = this.tx!;
    if (this.isKeyed === undefined) {
      const { rowCount } = await tx.query(
        `SELECT 1 FROM pg_index WHERE indrelid = '${this.schema}.${this.layout.table}'::regclass AND indisprimary`,
      );
      this.isKeyed = rowCount === 1;
    }
    if (!this.isKeyed) await tx.query(addPrimaryKeySql(this.layout, this.schema));
    this.isKeyed = true;
    return this.sql;
  }

  private get sql(): SqlTable<Row> {
    return new SqlTable<Row>(this.layout, this.schema, this.tx!);
  }

  private keyOf(row: Row): string {
    return String((row as Record<string, unknown>)[this.keyProperty]);
  }

  private isStored(key: string): boolean | undefined {
    const known = this.entries.get(key);
    if (known) return known.stored;
    return this.keys.mayHave(key) ? undefined : false;
  }

  private async fetch(keys: string[]): Promise<void> {
    if (keys.length === 0) return;
    const rows = await (await this.ensurePrimaryKey()).rowsByKey(keys);
    for (const key of keys) {
      const row = rows.get(key);
      this.remember(key, { row, stored: row !== undefined, dirty: false });
    }
  }

  /** Stores an entry in memory, as the newest one at the end of the map. */
  private remember(key: string, entry: Entry<Row>): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private trim(): void {
    if (!this.isRead) this.entries.clear();
    let surplus = this.entries.size - REMEMBERED;
    for (const key of this.entries.keys()) {
      if (surplus-- <= 0) return;
      this.entries.delete(key);
    }
  }
}
