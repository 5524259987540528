import { Module } from '@nestjs/common';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventCodec, EventFeed } from '#libs/kernel/event-store';
import { isAuditEntry } from '#libs/manifest';
import { AuditAnchorer } from './anchorer.js';
import { AuditAnchors } from './anchors.js';

/** Provides the anchorer of the audit trail to the saga. */
@Module({
  providers: [
    {
      provide: AuditAnchorer,
      useFactory: (client: EventStoreDBClient, codec: EventCodec, feed: EventFeed) =>
        new AuditAnchorer(new AuditAnchors(client, codec), feed, isAuditEntry),
      inject: [EventStoreDBClient, EventCodec, EventFeed],
    },
  ],
  exports: [AuditAnchorer],
})
export class AuditModule {}
