import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Pool } from 'pg';
import { createLogger, type Settings } from '#libs/kernel/system';
import { NotificationListener } from '#libs/kernel/postgres';
import { LogHead, meterLag, MeterStore, MeterWorker } from '#libs/usage';

/** Keeps the usage meters current, beside the read models. */
@Module({})
export class MetersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  private stopObserving: (() => void) | undefined;

  constructor(
    @Inject(MeterWorker) private readonly worker: MeterWorker,
    @Inject(MeterStore) private readonly meters: MeterStore,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('meters', settings.logLevel);
    return {
      module: MetersModule,
      providers: [
        MeterStore,
        {
          provide: MeterWorker,
          useFactory: (meters: MeterStore, pool: Pool, listener: NotificationListener) =>
            new MeterWorker(meters, new LogHead(pool), listener, logger),
          inject: [MeterStore, Pool, NotificationListener],
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.worker.run(this.abort.signal);
    this.stopObserving = meterLag.observe(async () => [{ labels: {}, values: await this.meters.lag() }]);
  }

  /** Before the pool closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopObserving?.();
    this.abort.abort();
    await this.running;
  }
}
