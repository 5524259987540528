import type { EventStoreDBClient } from '@eventstore/db-client';
import { fold, type Decider, type DomainEvent, type Position, type RecordedEvent } from '#libs/kernel/domain';
import type { Instant } from '#libs/kernel/core';
import { AggregateStore } from './aggregate-store.js';
import type { EventCodec } from './codec.js';
import { StreamReader } from './stream-reader.js';

/** Reads aggregates as they were before a position of the event log. Later events do not count. It is for audits, and appends nothing. */
export class PastAggregateStore extends AggregateStore {
  private readonly streams: PastStreamReader;

  constructor(client: EventStoreDBClient, codec: EventCodec, before: Position) {
    super(client, codec, { cacheSize: 1 });
    this.streams = new PastStreamReader(client, codec, before);
  }

  override async load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<State | undefined> {
    const events = await this.streams.read(`${decider.category}-${id}`);
    return fold(decider, events as unknown as Event[]);
  }

  override async loadAsOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    at: Instant,
  ): Promise<State | undefined> {
    const events = await this.streams.read(`${decider.category}-${id}`);
    const earlier = events.filter(({ metadata }) => metadata.occurredAt <= at);
    return fold(decider, earlier as unknown as Event[]);
  }
}

/** Reads streams as they were before a position of the event log. */
export class PastStreamReader extends StreamReader {
  constructor(
    client: EventStoreDBClient,
    codec: EventCodec,
    private readonly before: Position,
  ) {
    super(client, codec);
  }

  override async read(...asked: Parameters<StreamReader['read']>): Promise<RecordedEvent[]> {
    return (await super.read(...asked)).filter(({ position }) => position < this.before);
  }
}
