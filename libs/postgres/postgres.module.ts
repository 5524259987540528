import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Pool } from 'pg';
import { createLogger, requireSetting, type Settings } from '#libs/core';
import { dataSourceOptions, poolOf } from './data-source.js';
import { NotificationListener } from './listener.js';

/** The process's Postgres: one TypeORM data source, its pool as pg's `Pool`, and one notification listener. */
@Global()
@Module({})
export class PostgresModule implements OnApplicationShutdown {
  constructor(private readonly listener: NotificationListener) {}

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
        { provide: Pool, useFactory: poolOf, inject: [DataSource] },
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
    await this.listener.close();
  }
}
