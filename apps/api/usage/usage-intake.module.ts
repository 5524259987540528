import {
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { createLogger, type Settings } from '#libs/kernel/system';
import { NatsClient, NatsModule } from '#libs/kernel/nats';
import { RejectionPublisher, UsageConsumer, UsageIngest, UsageMessageIngest } from '#libs/usage';
import { UsageApiModule } from './usage.api.module.js';

/**
 * Receives usage events from NATS JetStream, in the same way as `POST /v1/events` receives usage events from requests. The module runs only
 * with the setting `NATS_USAGE`.
 */
@Module({})
export class UsageIntakeModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly consumer: UsageConsumer) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('usage-intake', settings.logLevel);
    return {
      module: UsageIntakeModule,
      imports: [NatsModule.forRoot(settings, 'countinghouse api'), UsageApiModule],
      providers: [
        {
          provide: UsageConsumer,
          useFactory: (nats: NatsClient, ingest: UsageIngest) => {
            const intake = new UsageMessageIngest(
              ingest,
              new RejectionPublisher(nats),
              settings.usageBatchLimit,
            );
            return new UsageConsumer(nats, intake, logger);
          },
          inject: [NatsClient, UsageIngest],
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.consumer.run(this.abort.signal);
  }

  /** Stops the intake before the database pools and the connection to NATS close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
