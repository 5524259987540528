import { AsyncLocalStorage } from 'node:async_hooks';
import type { StreamEntry } from './recent-streams.js';

/** The streams that a piece of work has looked at, as it saw them last. */
export type SeenStreams = Map<string, StreamEntry<unknown>>;

const storage = new AsyncLocalStorage<SeenStreams>();

/**
 * Runs `work` so that it reads each stream once: what was written before it began it sees, and what it writes itself. What
 * others write meanwhile it comes to know when an append of its own finds out. Not for work that waits for others, or must
 * look again after it has written.
 */
export function readingOnce<T>(work: () => T): T {
  return storage.run(new Map(), work);
}

/** Those of the work that the caller is part of; undefined if it is to read again each time. */
export function seenStreams(): SeenStreams | undefined {
  return storage.getStore();
}
