import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import pg, { type ClientBase, type Pool } from 'pg';
import { SnakeCaseNames } from './naming.js';
import { columnTypeParsers } from './column-type-parsers.js';

type Class<T = unknown> = new (...args: never[]) => T;

/** The settings of a TypeORM data source. */
export interface DataSourceOptions {
  url: string;
  poolSize: number;
  /** The name that pg_stat_activity shows. */
  applicationName: string;
  entities?: (Class | EntitySchema)[];
  migrations?: Class<MigrationInterface>[];
}

const CONNECTION_OPTIONS = {
  types: columnTypeParsers,
  options: '-c TimeZone=UTC',
  connectionTimeoutMillis: 10_000,
  onConnect: ignoreConnectionErrors,
};

/**
 * The options of every data source: one connection pool, and UTC sessions. TypeORM does not create tables, because migrations and
 * projections do.
 */
export function dataSourceOptions(options: DataSourceOptions) {
  return {
    type: 'postgres' as const,
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    synchronize: false,
    namingStrategy: new SnakeCaseNames(),
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each' as const,
    entities: (options.entities ?? []) as never[],
    migrations: (options.migrations ?? []) as never[],
    extra: CONNECTION_OPTIONS,
  };
}

/** Creates a separate connection pool, for work that must not wait for the connections of the process's data source. */
export function createPool({
  url,
  poolSize,
  applicationName,
}: Pick<DataSourceOptions, 'url' | 'poolSize' | 'applicationName'>): Pool {
  const pool = new pg.Pool({
    ...CONNECTION_OPTIONS,
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
  });
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Keeps the process running when the server ends a connection: without a listener, the error would end the process. The listener can ignore
 * the error, since the next query on the connection fails anyway. As an `onConnect` option, the listener also covers the first connection,
 * which TypeORM opens before the pool exists.
 */
function ignoreConnectionErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** Creates a data source that is not yet connected; call `initialize()`. */
export function createDataSource(options: DataSourceOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}

/** The pg pool of a connected data source, so that a process has only one pool. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
