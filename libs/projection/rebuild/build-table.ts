import type { PoolClient } from 'pg';
import { SqlTable, type ReadTable } from '../read-table.js';
import type { TableLayout } from '../table-layout.js';
import { copyRows } from './copy-rows.js';
import { KeyFilter } from './key-filter.js';

/** A row as it will be, or undefined if it will be gone. */
interface Entry<Row> {
  row: Row | undefined;
  /** Whether the table has a row of this key; undefined if it may have one. */
  stored: boolean | undefined;
  /** Whether it is still to be written. */
  dirty: boolean;
}

/** Rows in memory when a batch is over: enough for those that the next events are likely to change. */
const REMEMBERED = 20_000;
/** Keys that are fetched at a time when a build is gone on with. */
const KEYS_PER_FETCH = 20_000;
/** Types whose values have one text only, here and in Postgres. */
const PLAIN_TYPES = new Set(['text', 'character varying', 'bigint', 'integer', 'uuid']);

/**
 * A table that is being filled from events: what a batch does to it is gathered and written at its end, each row once,
 * new ones by COPY. Rows that were changed lately are remembered, and so is which keys there may be, so that it is
 * hardly ever read. A table of which the key is not one plain column is written to at once instead.
 */
export class BuildTable<Row extends object> implements ReadTable<Row> {
  private readonly entries = new Map<string, Entry<Row>>();
  private readonly keys = new KeyFilter();
  private readonly keyProperty: string;
  private readonly gathers: boolean;
  private tx: PoolClient | undefined;

  constructor(
    private readonly layout: TableLayout,
    private readonly schema: string,
  ) {
    const key = layout.columns.find(({ name }) => name === layout.keys[0])!;
    this.keyProperty = key.property;
    this.gathers = layout.keys.length === 1 && PLAIN_TYPES.has(key.type);
  }

  /** Learns which keys there are, in a table that another process has begun to fill. */
  async learnKeys(tx: PoolClient): Promise<void> {
    if (!this.gathers) return;
    await tx.query(
      `DECLARE keys NO SCROLL CURSOR FOR
       SELECT ${this.layout.keys[0]}::text AS key FROM ${this.schema}.${this.layout.table}`,
    );
    for (let fetched = KEYS_PER_FETCH; fetched === KEYS_PER_FETCH;) {
      const { rows } = await tx.query<{ key: string }>(`FETCH ${KEYS_PER_FETCH} FROM keys`);
      for (const { key } of rows) this.keys.add(key);
      fetched = rows.length;
    }
    await tx.query('CLOSE keys');
  }

  /** Names the transaction that the next calls are in. */
  within(tx: PoolClient): this {
    this.tx = tx;
    return this;
  }

  async byKey(keys: readonly string[]): Promise<Map<string, Row>> {
    if (!this.gathers) return this.sql.byKey(keys);
    await this.fetch(keys.filter((key) => !this.entries.has(key) && this.keys.mayHave(key)));
    const found = new Map<string, Row>();
    for (const key of keys) {
      const row = this.entries.get(key)?.row;
      if (row !== undefined) found.set(key, row);
    }
    return found;
  }

  async last(): Promise<Row | undefined> {
    await this.flush();
    return this.sql.last();
  }

  async upsert(rows: readonly Row[]): Promise<void> {
    if (!this.gathers) return this.sql.upsert(rows);
    for (const row of rows) {
      const key = String((row as Record<string, unknown>)[this.keyProperty]);
      this.remember(key, { row, stored: this.isStored(key), dirty: true });
      this.keys.add(key);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (!this.gathers) return this.sql.remove(keys);
    for (const key of keys) {
      const stored = this.isStored(key);
      this.remember(key, { row: undefined, stored, dirty: stored !== false });
    }
  }

  /** Writes what was gathered. */
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
    await this.sql.remove(gone);
    await copyRows(this.tx!, this.layout, this.schema, fresh);
    await this.sql.upsert(changed);
    this.trim();
  }

  /** Forgets the rows that a transaction may have changed which came to nothing. */
  forget(): void {
    this.entries.clear();
  }

  private get sql(): SqlTable<Row> {
    return new SqlTable<Row>(this.layout, this.schema, this.tx!);
  }

  private isStored(key: string): boolean | undefined {
    const known = this.entries.get(key);
    if (known) return known.stored;
    return this.keys.mayHave(key) ? undefined : false;
  }

  private async fetch(keys: string[]): Promise<void> {
    const rows = await this.sql.byKey(keys);
    for (const key of keys) {
      const row = rows.get(key);
      this.remember(key, { row, stored: row !== undefined, dirty: false });
    }
  }

  /** The newest stands at the end. */
  private remember(key: string, entry: Entry<Row>): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private trim(): void {
    let surplus = this.entries.size - REMEMBERED;
    for (const key of this.entries.keys()) {
      if (surplus-- <= 0) return;
      this.entries.delete(key);
    }
  }
}
