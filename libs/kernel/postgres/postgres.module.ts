import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Pool } from 'pg';
import { createLogger, requireSetting, type Settings } from '#libs/kernel/system';
import { requireFinishedRestore } from '#libs/kernel/runtime';
import { dataSourceOptions, poolOf } from './data-source.js';
import { NotificationListener } from './listener.js';
import { observePool } from './metrics.js';

const APPLICATION_NAME = Symbol('application name');

/** The process's Postgres: one TypeORM data source, its pool as pg's `Pool`, and one notification listener. */
@Global()
@Module({})
export class PostgresModule implements OnApplicationShutdown {
  private readonly stopObserving: () => void;

  constructor(
    private readonly listener: NotificationListener,
    pool: Pool,
    @Inject(APPLICATION_NAME) applicationName: string,
  ) {
    this.stopObserving = observePool(pool, applicationName);
  }

  static forRoot(settings: Settings, applicationName: string): DynamicModule {
    const url = requireSetting(settings, 'databaseUrl');
    const logger = createLogger('postgres', settings.logLevel);
    return {
      module: PostgresModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ url, poolSize: settings.databasePoolSize, applicationName }),
          autoLoadEntities: true,
          retryAttempts: 0,
        }),
      ],
      providers: [
        { provide: APPLICATION_NAME, useValue: applicationName },
        {
          provide: Pool,
          useFactory: async (dataSource: DataSource) => {
            const pool = poolOf(dataSource);
            await requireFinishedRestore(pool);
            return pool;
          },
          inject: [DataSource],
        },
        {
          provide: NotificationListener,
          useFactory: async () => {
            const listener = new NotificationListener(url, logger);
            await listener.start();
            return listener;
          },
        },
      ],
      exports: [Pool, NotificationListener],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopObserving();
    await this.listener.close();
  }
}
