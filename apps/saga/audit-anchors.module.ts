import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { EventStoreDBClient } from '@eventstore/db-client';
import { AuditAnchorer, AuditAnchors } from '#libs/contexts/audit';
import { createLogger, type Settings } from '#libs/kernel/system';
import { EventCodec, EventFeed } from '#libs/kernel/event-store';
import { auditMembership } from '#projections/audit';

/** Anchors the audit trail in the event store, beside the process managers. */
@Module({})
export class AuditAnchorsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(@Inject(AuditAnchorer) private readonly anchorer: AuditAnchorer) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('audit', settings.logLevel);
    return {
      module: AuditAnchorsModule,
      providers: [
        {
          provide: AuditAnchorer,
          useFactory: (client: EventStoreDBClient, codec: EventCodec, feed: EventFeed) =>
            new AuditAnchorer(new AuditAnchors(client, codec), feed, auditMembership, logger),
          inject: [EventStoreDBClient, EventCodec, EventFeed],
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.anchorer.run(this.abort.signal);
  }

  /** Before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
