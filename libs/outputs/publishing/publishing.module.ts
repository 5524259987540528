import {
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Pool } from 'pg';
import { createLogger, type Settings } from '#libs/kernel/system';
import { AggregateStore, EventFeed } from '#libs/kernel/event-store';
import { NatsClient, NatsModule } from '#libs/kernel/nats';
import { RelayRunner } from '#libs/kernel/saga';
import { MessageDataMaker } from '#libs/outputs/webhooks';
import { PublicEventRelay } from './public-event-relay.js';

/** Publishes public events to JetStream. Only processes that have a `NATS_URL` publish events. */
@Module({})
export class PublishingModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly runner: RelayRunner) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('publishing', settings.logLevel);
    return {
      module: PublishingModule,
      imports: [NatsModule.forRoot(settings, 'countinghouse saga')],
      providers: [
        {
          provide: RelayRunner,
          useFactory: (nats: NatsClient, feed: EventFeed, pool: Pool, aggregates: AggregateStore) =>
            new RelayRunner(
              new PublicEventRelay(nats, new MessageDataMaker(aggregates), logger),
              feed,
              pool,
              logger,
            ),
          inject: [NatsClient, EventFeed, Pool, AggregateStore],
        },
      ],
    };
  }

  /**
   * Prepares the relay before the process managers start. A new relay begins at the position that the process managers have reached in the
   * event log. If they had already started, the relay could miss events.
   */
  async onModuleInit(): Promise<void> {
    await this.runner.prepare();
  }

  onApplicationBootstrap(): void {
    this.running = this.runner.run(this.abort.signal);
  }

  /** Stops the relay before the pool and the connection to NATS close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
