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
import { EventFeed, EventStoreModule, LogLag } from '#libs/kernel/event-store';
import { NotificationListener, PostgresModule } from '#libs/kernel/postgres';
import { ReadModels } from '#libs/kernel/projection';
import { PublishingModule } from '#libs/outputs/publishing';
import { observeBacklog, SagaRunner, type ProcessManager } from '#libs/kernel/saga';
import { WorkspacesModule } from '#libs/kernel/workspaces';
import { AuditAnchorsModule } from './audit-anchors.module.js';
import { processManagerModules, processManagers } from './process-managers.js';
import { SagaProcess } from './saga-process.js';
import { ThresholdTriggersModule } from './threshold-triggers.module.js';
import { UnmatchedReportsModule } from './unmatched-reports.module.js';
import { UpkeepModule } from './upkeep.module.js';

/** The saga app: everything that takes time. */
@Module({})
export class SagaModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopObserving: (() => void) | undefined;

  constructor(
    @Inject(SagaProcess) private readonly process: SagaProcess,
    private readonly pool: Pool,
    private readonly lag: LogLag,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('saga', settings.logLevel);
    return {
      module: SagaModule,
      imports: [
        PostgresModule.forRoot(settings, 'countinghouse saga'),
        EventStoreModule.forRoot(settings),
        WorkspacesModule,
        CqrsModule.forRoot(),
        ...processManagerModules(settings),
        AuditAnchorsModule.forRoot(settings),
        ThresholdTriggersModule.forRoot(settings),
        UnmatchedReportsModule.forRoot(settings),
        UpkeepModule.forRoot(settings),
        ...(settings.natsUrl === undefined ? [] : [PublishingModule.forRoot(settings)]),
      ],
      providers: [
        ReadModels,
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

  /** Before the pools close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopObserving?.();
    await this.process.stop();
  }
}
