import {
  StreamNotFoundError,
  type EventStoreDBClient,
  type ReadStreamOptions,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { EventCodec } from './codec.js';
import { readEvents } from './leader-client.js';
import type { RecordedEvent } from '#libs/kernel/domain';

/** The number of events in one page of {@link StreamReader.pages}. */
const PAGE = 200;

/** Reads single streams as they were recorded, for code that shows the past. Decisions use the AggregateStore. */
export class StreamReader {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
  ) {}

  /**
   * The events of a stream, oldest first. `options` can limit the events; by default, all are returned. Returns an empty list if the stream
   * does not exist.
   */
  async read(stream: string, options?: ReadStreamOptions): Promise<RecordedEvent[]> {
    return this.codec.decode(await this.raw(stream, options));
  }

  /** Yields the events of a stream, oldest first. Each page of events is read when the caller asks for its first event. */
  async *pages(stream: string): AsyncGenerator<RecordedEvent> {
    for (let next = 0n; ;) {
      const page = await this.read(stream, { fromRevision: next, maxCount: PAGE });
      yield* page;
      if (page.length < PAGE) return;
      next = page.at(-1)!.revision + 1n;
    }
  }

  /** Tells whether the stream exists. */
  async has(stream: string): Promise<boolean> {
    return (await this.raw(stream, { maxCount: 1 })).length > 0;
  }

  private async raw(stream: string, options?: ReadStreamOptions): Promise<ResolvedEvent[]> {
    try {
      return await readEvents(() => this.client.readStream(stream, options));
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
      return [];
    }
  }
}
