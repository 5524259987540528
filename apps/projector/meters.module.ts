import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Pool } from 'pg';
import { createLogger, type Settings } from '#libs/core';
import { NotificationListener } from '#libs/postgres';
import { LogHead, MeterStore, MeterWorker } from '#libs/usage';

/** Keeps the usage meters current, beside the read models. */
@Module({})
export class MetersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(@Inject(MeterWorker) private readonly worker: MeterWorker) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('meters', settings.logLevel);
    return {
      module: MetersModule,
      providers: [
        {
          provide: MeterWorker,
          useFactory: (pool: Pool, listener: NotificationListener) =>
            new MeterWorker(new MeterStore(pool), new LogHead(pool), listener, logger),
          inject: [Pool, NotificationListener],
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.worker.run(this.abort.signal);
  }

  /** Before the pool closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
