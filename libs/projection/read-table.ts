import type { DataSource, EntityMetadata } from 'typeorm';
import type { PoolClient } from 'pg';

/** An entity class that is a read model's table, in the schema `read`. */
export type EntityClass<Row extends object = object> = new () => Row;

/** Batch reading and writing of one read-model table. Column names and types are the TypeORM entity's. */
export class ReadTable<Row extends object> {
  private readonly name: string;
  private readonly primary: string;
  private readonly upsertSql: string;

  constructor(
    private readonly metadata: EntityMetadata,
    schema: string,
    private readonly tx: PoolClient,
  ) {
    this.name = `${schema}.${metadata.tableName}`;
    const columns = metadata.columns.map((column) => column.databaseName);
    const keys = metadata.primaryColumns.map((column) => column.databaseName);
    this.primary = keys[0]!;
    const others = columns.filter((column) => !keys.includes(column));
    this.upsertSql =
      `INSERT INTO ${this.name} (${columns.join(', ')}) ` +
      `SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::${this.name}, $1::jsonb) ` +
      `ON CONFLICT (${keys.join(', ')}) DO ` +
      (others.length === 0
        ? 'NOTHING'
        : `UPDATE SET ${others.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`);
  }

  /** Rows by their primary key (the first column of it), by key. */
  async byKey(keys: string[]): Promise<Map<string, Row>> {
    if (keys.length === 0) return new Map();
    const { rows } = await this.tx.query<Record<string, unknown>>(
      `SELECT * FROM ${this.name} WHERE ${this.primary} = ANY($1)`,
      [keys],
    );
    return new Map(rows.map((row) => [String(row[this.primary]), this.fromDatabase(row)]));
  }

  /** The row with the greatest primary key (the first column of it), if there is any. */
  async last(): Promise<Row | undefined> {
    const { rows } = await this.tx.query<Record<string, unknown>>(
      `SELECT * FROM ${this.name} ORDER BY ${this.primary} DESC LIMIT 1`,
    );
    return rows[0] && this.fromDatabase(rows[0]);
  }

  /** Writes rows, replacing those with the same primary key, in one statement. */
  async upsert(rows: Row[]): Promise<void> {
    if (rows.length === 0) return;
    await this.tx.query(this.upsertSql, [JSON.stringify(rows.map((row) => this.toDatabase(row)))]);
  }

  /** Removes rows by their primary key (the first column of it). */
  async remove(keys: string[]): Promise<void> {
    if (keys.length > 0)
      await this.tx.query(`DELETE FROM ${this.name} WHERE ${this.primary} = ANY($1)`, [keys]);
  }

  private toDatabase(row: Row): Record<string, unknown> {
    return Object.fromEntries(
      this.metadata.columns.map((column) => [
        column.databaseName,
        (row as Record<string, unknown>)[column.propertyName] ?? null,
      ]),
    );
  }

  private fromDatabase(row: Record<string, unknown>): Row {
    return Object.fromEntries(
      this.metadata.columns.map((column) => [column.propertyName, row[column.databaseName]]),
    ) as Row;
  }
}

/** The statements that make an entity's table and its indexes in `schema`, from the entity's decorators. */
export function createTableSql(dataSource: DataSource, entity: EntityClass, schema: string): string {
  const metadata = dataSource.getMetadata(entity);
  const name = `${schema}.${metadata.tableName}`;
  const columns = metadata.columns.map(
    (column) =>
      `${column.databaseName} ${dataSource.driver.normalizeType(column)}${column.isNullable ? '' : ' NOT NULL'}`,
  );
  const keys = metadata.primaryColumns.map((column) => column.databaseName);
  const indexes = metadata.indices.map(
    (index) =>
      `CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX ON ${name} ` +
      `(${index.columns.map((column) => column.databaseName).join(', ')});`,
  );
  return [`CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (${keys.join(', ')}));`, ...indexes].join(
    '\n',
  );
}
