import type { DataSource } from 'typeorm';

/** An entity class that is a read model's table, in the schema `read`. */
export type EntityClass<Row extends object = object> = new () => Row;

/** A column as Postgres and as the entity have it. */
export interface ColumnLayout {
  readonly name: string;
  readonly property: string;
  /** Postgres' name of its type. */
  readonly type: string;
  readonly nullable: boolean;
}

/** A read model's table, whatever schema it stands in. */
export interface TableLayout {
  readonly table: string;
  readonly columns: readonly ColumnLayout[];
  /** Names of the columns of the primary key. */
  readonly keys: readonly string[];
  /** One on a jsonb column finds what lists contain; the others find and order by value. */
  readonly indexes: readonly { unique: boolean; columns: readonly string[] }[];
}

const known = new WeakMap<object, TableLayout>();

/** The table of an entity, from its decorators. */
export function layoutOf(dataSource: DataSource, entity: EntityClass): TableLayout {
  const metadata = dataSource.getMetadata(entity);
  let layout = known.get(metadata);
  if (layout === undefined) {
    layout = {
      table: metadata.tableName,
      columns: metadata.columns.map((column) => ({
        name: column.databaseName,
        property: column.propertyName,
        type: dataSource.driver.normalizeType(column),
        nullable: column.isNullable,
      })),
      keys: metadata.primaryColumns.map((column) => column.databaseName),
      indexes: metadata.indices.map((index) => ({
        unique: index.isUnique,
        columns: index.columns.map((column) => column.databaseName),
      })),
    };
    known.set(metadata, layout);
  }
  return layout;
}

/** The statement that makes the table with its primary key in `schema`. */
export function createTableSql(layout: TableLayout, schema: string): string {
  return `CREATE TABLE ${schema}.${layout.table} (${columnsSql(layout)}, ${primaryKeySql(layout)})`;
}

/** The statement that makes the table without any index in `schema`. */
export function createHeapSql(layout: TableLayout, schema: string): string {
  return `CREATE TABLE ${schema}.${layout.table} (${columnsSql(layout)})`;
}

/** The statement that gives such a table its primary key. */
export function addPrimaryKeySql(layout: TableLayout, schema: string): string {
  return `ALTER TABLE ${schema}.${layout.table} ADD ${primaryKeySql(layout)}`;
}

/**
 * The statement that reads the table in `schema`, to which a condition can be added; see {@link fromColumns}. A connection refuses a
 * prepared statement after a column has changed its type. So a column of a read model that changes its type gets a new name.
 */
export function selectSql({ table, columns }: TableLayout, schema: string): string {
  return `SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${schema}.${table}`;
}

function columnsSql({ columns }: TableLayout): string {
  return columns
    .map(({ name, type, nullable }) => `${name} ${type}${nullable ? '' : ' NOT NULL'}`)
    .join(', ');
}

function primaryKeySql({ keys }: TableLayout): string {
  return `PRIMARY KEY (${keys.join(', ')})`;
}

/**
 * The statements that make the table's other indexes in `schema`, in their order; with `concurrently` beside those who write to it,
 * which Postgres does outside of transactions only.
 */
export function createIndexesSql(
  { table, indexes, columns }: TableLayout,
  schema: string,
  { concurrently = false } = {},
): string[] {
  const on = `INDEX ${concurrently ? 'CONCURRENTLY ' : ''}ON ${schema}.${table}`;
  const lists = new Set(columns.filter(({ type }) => type === 'jsonb').map(({ name }) => name));
  return indexes.map(({ unique, columns: indexed }) =>
    indexed.some((name) => lists.has(name))
      ? `CREATE ${on} USING gin (${indexed.map((name) => `${name} jsonb_path_ops`).join(', ')})`
      : `CREATE ${unique ? 'UNIQUE ' : ''}${on} (${indexed.join(', ')})`,
  );
}

/** Returns the definition of the tables as text, to tell whether tables that were begun earlier still fit. */
export function definitionOf(layouts: readonly TableLayout[]): string {
  return layouts
    .flatMap((layout) => [createTableSql(layout, 'read'), ...createIndexesSql(layout, 'read')])
    .join(';\n');
}

/** An entity's values by column. */
export function toColumns<Row extends object>({ columns }: TableLayout, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, property }) => [name, (row as Record<string, unknown>)[property] ?? null]),
  );
}

/** The entity of a row that was read. */
export function fromColumns<Row extends object>(
  { columns }: TableLayout,
  values: Record<string, unknown>,
): Row {
  return Object.fromEntries(columns.map(({ name, property }) => [property, values[name]])) as Row;
}
