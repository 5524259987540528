import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { createLogger, type Settings } from '#libs/kernel/system';
import { EventFeed, EventStoreModule, LogLagReader } from '#libs/kernel/event-store';
import { NotificationListener, PostgresModule } from '#libs/kernel/postgres';
import { ReadModelsModule } from '#libs/kernel/projection';
import { BackgroundWorkersModule, SettingsModule } from '#libs/kernel/app';
import { PublishingModule } from '#libs/outputs/publishing';
import { observeBacklog, SagaRunner, type ProcessManager } from '#libs/kernel/saga';
import { Upkeep } from '#libs/kernel/upkeep';
import { WorkspacesModule } from '#libs/kernel/workspaces';
import { backgroundWork, contexts, vocabulary } from '#libs/manifest';
import { ReadModelAdaptersModule } from '#projections';
import { LedgerVerificationModule } from './ledger-verification/ledger-verification.module.js';
import { SagaProcess } from './saga-process.js';
import { UpkeepModule } from './upkeep.module.js';

/** The saga app: it runs the process managers and the other background workers of the contexts. */
@Module({})
export class SagaModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopObserving: (() => void) | undefined;

  constructor(
    @Inject(SagaProcess) private readonly process: SagaProcess,
    private readonly pool: Pool,
    private readonly lag: LogLagReader,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('saga', settings.logLevel);
    const modules = backgroundWork().flatMap((one) => one.modules);
    const processManagers = backgroundWork().flatMap((one) => one.processManagers);
    const upkeep = UpkeepModule.forRoot(settings);
    return {
      module: SagaModule,
      imports: [
        SettingsModule.forRoot(settings),
        PostgresModule.forRoot(settings, 'countinghouse saga'),
        EventStoreModule.forRoot(settings, vocabulary()),
        WorkspacesModule,
        CqrsModule.forRoot(),
        ReadModelsModule,
        ReadModelAdaptersModule,
        LedgerVerificationModule,
        ...contexts().flatMap(({ answers }) => answers),
        ...modules,
        BackgroundWorkersModule.forRoot(
          settings,
          [...modules, upkeep],
          [...backgroundWork().flatMap(({ workers }) => workers), Upkeep],
        ),
        ...(settings.natsUrl === undefined ? [] : [PublishingModule.forRoot(settings)]),
      ],
      providers: [
        {
          provide: SagaProcess,
          useFactory: (
            feed: EventFeed,
            pool: Pool,
            listener: NotificationListener,
            ...managers: ProcessManager[]
          ) => new SagaProcess(new SagaRunner(managers, feed, pool, listener, logger)),
          inject: [EventFeed, Pool, NotificationListener, ...processManagers],
        },
      ],
      exports: [SagaProcess],
    };
  }

  onApplicationBootstrap(): void {
    this.process.start();
    this.stopObserving = observeBacklog(this.pool, this.lag);
  }

  /** Stops the process managers before the database pools are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopObserving?.();
    await this.process.stop();
  }
}
