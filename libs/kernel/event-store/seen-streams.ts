import { AsyncLocalStorage } from 'node:async_hooks';
import type { StreamEntry } from './recent-streams.js';

/** The streams that a piece of work has read, each with the state that the work read last. */
export type StreamCache = Map<string, StreamEntry<unknown>>;

const storage = new AsyncLocalStorage<StreamCache>();

/**
 * Runs `work` so that it reads each stream only once. The work sees events that existed when it first read the stream, and its own appends.
 * The work notices the appends of others only when one of its own appends conflicts. The function is not for work that waits for other
 * processes, or that must read a stream again after a write.
 */
export function withStreamCache<T>(work: () => T): T {
  return storage.run(new Map(), work);
}

/** Returns the streams that the work of the current {@link withStreamCache} has read; undefined outside such work. */
export function streamCacheInUse(): StreamCache | undefined {
  return storage.getStore();
}
