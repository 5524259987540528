import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import type { ClientBase, Pool } from 'pg';
import { SnakeCaseNames } from './naming.js';
import { columnTypes } from './types.js';

type Class<T = unknown> = new (...args: never[]) => T;

/** The settings of a TypeORM data source. */
export interface DataSourceOptions {
  url: string;
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  entities?: (Class | EntitySchema)[];
  migrations?: Class<MigrationInterface>[];
}

/**
 * The options of every data source: one connection pool, UTC sessions, no synchronisation (migrations and
 * projections make the tables).
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
    extra: {
      types: columnTypes,
      options: '-c TimeZone=UTC',
      connectionTimeoutMillis: 10_000,
      onConnect: surviveItsEnd,
    },
  };
}

/**
 * A connection that the server ends must not end the process when nobody hears of it; its next query fails with the
 * error all the same. Said here, where it also holds for the first connection, which TypeORM makes before we have the pool.
 */
function surviveItsEnd(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** A data source that is not yet connected; call `initialize()`. */
export function createDataSource(options: DataSourceOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}

/** The pg pool under a connected data source, so that a process has one pool and not two. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
