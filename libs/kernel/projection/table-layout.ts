import type { DataSource } from 'typeorm';

/** An entity class for a read model's table in the schema `read`. */
export type EntityClass<Row extends object = object> = new () => Row;

/** A column, with its name and type in Postgres and in the entity. */
export interface ColumnLayout {
  readonly name: string;
  readonly property: string;
  /** The name of the type in Postgres. */
  readonly type: string;
  readonly nullable: boolean;
}

/** A read model's table, independent of its schema. */
export interface TableLayout {
  readonly table: string;
  readonly columns: readonly ColumnLayout[];
  /** The names of the columns of the primary key. */
  readonly keyColumns: readonly string[];
  /**
   * The indexes. An index on a jsonb column finds the rows whose list contains a value. An index on any other column finds and sorts rows
   * by value.
   */
  readonly indexes: readonly { unique: boolean; columns: readonly string[] }[];
}

const known = new WeakMap<object, TableLayout>();

/** The layout of an entity's table, from the decorators of the entity. */
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
      keyColumns: metadata.primaryColumns.map((column) => column.databaseName),
      indexes: metadata.indices.map((index) => ({
        unique: index.isUnique,
        columns: index.columns.map((column) => column.databaseName),
      })),
    };
    known.set(metadata, layout);
  }
  return layout;
}

/** The statement that creates the table in `schema`, with its primary key. */
export function createTableSql(layout: TableLayout, schema: string): string {
  return `CREATE TABLE ${schema}.${layout.table} (${columnsSql(layout)}, ${primaryKeySql(layout)})`;
}

/** The statement that creates the table in `schema`, without any index. */
export function createHeapSql(layout: TableLayout, schema: string): string {
  return `CREATE TABLE ${schema}.${layout.table} (${columnsSql(layout)})`;
}

/** The statement that adds the primary key to a table without indexes. */
export function addPrimaryKeySql(layout: TableLayout, schema: string): string {
  return `ALTER TABLE ${schema}.${layout.table} ADD ${primaryKeySql(layout)}`;
}

/**
 * The statement that reads the table in `schema`, to which a condition can be added; see {@link rowFromColumnValues}. A connection refuses
 * a prepared statement after a column has changed its type. A code change that changes the type of a read model's column must therefore
 * also rename the column.
 */
export function selectSql({ table, columns }: TableLayout, schema: string): string {
  return `SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${schema}.${table}`;
}

function columnsSql({ columns }: TableLayout): string {
  return columns
    .map(({ name, type, nullable }) => `${name} ${type}${nullable ? '' : ' NOT NULL'}`)
    .join(', ');
}

function primaryKeySql({ keyColumns: keys }: TableLayout): string {
  return `PRIMARY KEY (${keys.join(', ')})`;
}

/**
 * The statements that create the table's indexes in `schema`, in order, without the primary key. With `concurrently`, the creation of an
 * index does not block writers, but Postgres allows it only outside of transactions.
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

/** Returns the definition of the tables as text, to tell whether an unfinished build has tables of the present definition. */
export function definitionText(layouts: readonly TableLayout[]): string {
  return layouts
    .flatMap((layout) => [createTableSql(layout, 'read'), ...createIndexesSql(layout, 'read')])
    .join(';\n');
}

/** Returns the values of an entity by the names of the columns. */
export function columnValuesOf<Row extends object>(
  { columns }: TableLayout,
  row: Row,
): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, property }) => [name, (row as Record<string, unknown>)[property] ?? null]),
  );
}

/** Makes an entity from a row that was read from the database. */
export function rowFromColumnValues<Row extends object>(
  { columns }: TableLayout,
  values: Record<string, unknown>,
): Row {
  return Object.fromEntries(columns.map(({ name, property }) => [property, values[name]])) as Row;
}
