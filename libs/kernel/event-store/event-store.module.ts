import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { createLogger, requireSetting, type Settings } from '#libs/kernel/system';
import type { EventVocabulary } from '#libs/kernel/domain';
import { NotificationListener, observePool } from '#libs/kernel/postgres';
import { AggregateStore } from './aggregate-store.js';
import { EventCodec } from './codec.js';
import { EventFeed } from './event-feed.js';
import { KEY_CONNECTIONS_NAME, openKeyConnections } from './key-connections.js';
import { LogLagReader } from './log-lag-reader.js';
import { KEY_DESTROYED_CHANNEL, PersonalDataVault } from './personal-data.js';
import { QuarantineReader } from './quarantine-reader.js';
import { closeClient, openClient } from './shared-client.js';
import { SnapshotUpdater } from './snapshot-updater.js';
import { StreamReader } from './stream-reader.js';

const KEY_CONNECTIONS = Symbol('connections for the keys of personal data');

/** Provides the process's event store client, and the services that are built on it. Needs PostgresModule (for personal-data keys). */
@Global()
@Module({})
export class EventStoreModule implements OnModuleInit, OnApplicationShutdown {
  private readonly stopObserving: () => void;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly vault: PersonalDataVault,
    private readonly aggregates: AggregateStore,
    private readonly listener: NotificationListener,
    @Inject(KEY_CONNECTIONS) private readonly keyConnections: Pool,
  ) {
    this.stopObserving = observePool(keyConnections, KEY_CONNECTIONS_NAME);
  }

  /** @param vocabulary the event types that the process can read and write */
  static forRoot(settings: Settings, vocabulary: EventVocabulary): DynamicModule {
    const url = requireSetting(settings, 'eventStoreUrl');
    const databaseUrl = requireSetting(settings, 'databaseUrl');
    const logger = createLogger('event-feed', settings.logLevel);
    return {
      module: EventStoreModule,
      providers: [
        { provide: EventStoreDBClient, useFactory: () => openClient(url) },
        {
          provide: KEY_CONNECTIONS,
          useFactory: () => openKeyConnections(databaseUrl),
        },
        {
          provide: PersonalDataVault,
          useFactory: (connections: Pool) => new PersonalDataVault(connections),
          inject: [KEY_CONNECTIONS],
        },
        {
          provide: EventCodec,
          useFactory: (vault: PersonalDataVault, client: EventStoreDBClient) =>
            new EventCodec(vault, vocabulary, new QuarantineReader(client)),
          inject: [PersonalDataVault, EventStoreDBClient],
        },
        {
          provide: AggregateStore,
          useFactory: (client: EventStoreDBClient, codec: EventCodec) =>
            new AggregateStore(client, codec, { cacheSize: settings.streamCacheSize }),
          inject: [EventStoreDBClient, EventCodec],
        },
        {
          provide: EventFeed,
          useFactory: (client: EventStoreDBClient, codec: EventCodec) =>
            new EventFeed(client, codec, { logger, url }),
          inject: [EventStoreDBClient, EventCodec],
        },
        {
          provide: StreamReader,
          useFactory: (client: EventStoreDBClient, codec: EventCodec) => new StreamReader(client, codec),
          inject: [EventStoreDBClient, EventCodec],
        },
        {
          provide: SnapshotUpdater,
          useFactory: (client: EventStoreDBClient, codec: EventCodec) => new SnapshotUpdater(client, codec),
          inject: [EventStoreDBClient, EventCodec],
        },
        {
          provide: LogLagReader,
          useFactory: (client: EventStoreDBClient, feed: EventFeed) => new LogLagReader(client, feed),
          inject: [EventStoreDBClient, EventFeed],
        },
      ],
      exports: [
        EventStoreDBClient,
        PersonalDataVault,
        EventCodec,
        AggregateStore,
        EventFeed,
        StreamReader,
        SnapshotUpdater,
        LogLagReader,
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.listener.on(
      KEY_DESTROYED_CHANNEL,
      (subject) => this.forget(() => this.vault.dropCachedKey(subject)),
      () => this.forget(() => this.vault.dropCachedKeys()),
    );
  }

  /**
   * Calls `forgetKeys`, which removes keys from memory. Then removes the states of aggregates from memory, because they may contain data
   * that was read with those keys.
   */
  private forget(forgetKeys: () => void): void {
    forgetKeys();
    this.aggregates.forgetStates();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopObserving();
    await Promise.all([closeClient(this.client), this.keyConnections.end()]);
  }
}
