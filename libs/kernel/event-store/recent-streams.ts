import { LRUCache } from 'lru-cache';
import type { Position } from '#libs/kernel/domain';

/** The state of a stream at a revision (-1 for no stream), with the ids of the commands that wrote to the stream. */
export interface StreamEntry<State> {
  readonly state: State | undefined;
  readonly revision: bigint;
  /** The position of the last event of the stream. 0 if the stream does not exist. */
  readonly position: Position;
  readonly commandIds: ReadonlySet<string>;
  /** Tells whether the stream was closed while it was empty. */
  readonly isClosed: boolean;
}

/**
 * Keeps the states of streams in memory, and removes those of the least recently used streams first. The entry of a stream can be outdated,
 * but was correct at its revision.
 */
export class RecentStreams {
  private readonly entries: LRUCache<string, StreamEntry<unknown>>;

  constructor(limit: number) {
    this.entries = new LRUCache({ max: limit });
  }

  get<State>(stream: string): StreamEntry<State> | undefined {
    return this.entries.get(stream) as StreamEntry<State> | undefined;
  }

  /** Keeps the entry with the higher revision, because answers can arrive out of order. */
  set(stream: string, entry: StreamEntry<unknown>): void {
    const known = this.entries.peek(stream);
    if (known && known.revision > entry.revision) return;
    this.entries.set(stream, entry);
  }

  delete(stream: string): void {
    this.entries.delete(stream);
  }

  clear(): void {
    this.entries.clear();
  }
}
