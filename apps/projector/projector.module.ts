import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { createLogger, type Settings } from '#libs/kernel/system';
import { EventFeed, EventStoreModule, LogLagReader } from '#libs/kernel/event-store';
import { PostgresModule } from '#libs/kernel/postgres';
import { observeProjectionLag, Projector } from '#libs/kernel/projection';
import { vocabulary } from '#libs/manifest';
import { projections } from '#projections';
import { MetersModule } from './meters.module.js';
import { ProjectorProcess } from './projector-process.js';

/** The projector: it reads the event log and keeps every read model current. */
@Module({})
export class ProjectorModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopObserving: (() => void) | undefined;

  constructor(
    @Inject(ProjectorProcess) private readonly projector: ProjectorProcess,
    private readonly pool: Pool,
    private readonly lag: LogLagReader,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('projector', settings.logLevel);
    return {
      module: ProjectorModule,
      imports: [
        PostgresModule.forRoot(settings, 'countinghouse projector'),
        EventStoreModule.forRoot(settings, vocabulary()),
        MetersModule.forRoot(settings),
        TypeOrmModule.forFeature(projections.flatMap(({ entities }) => entities)),
      ],
      providers: [
        {
          provide: ProjectorProcess,
          useFactory: (feed: EventFeed, dataSource: DataSource, pool: Pool) =>
            new ProjectorProcess(new Projector(projections, feed, dataSource, pool, logger), pool, logger),
          inject: [EventFeed, DataSource, Pool],
        },
      ],
      exports: [ProjectorProcess],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.projector.start();
    this.stopObserving = observeProjectionLag(this.pool, this.lag);
  }

  /** Stops the projector before the database pools are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopObserving?.();
    await this.projector.stop();
  }
}
