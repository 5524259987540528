import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '#libs/kernel/domain';

/**
 * The log position of the last event that a request has written. The response to the request waits until the read models have reached this
 * position.
 */
export interface WriteTracker {
  position: Position | undefined;
}

const storage = new AsyncLocalStorage<WriteTracker>();

/** Runs `work` with a new tracker, which records only the writes of this work. */
export function trackWrites<T>(work: (tracker: WriteTracker) => T): T {
  const tracker: WriteTracker = { position: undefined };
  return storage.run(tracker, () => work(tracker));
}

/** Records a write. Outside of {@link trackWrites}, this function does nothing. */
export function recordWrite(position: Position): void {
  const tracker = storage.getStore();
  if (tracker && (tracker.position === undefined || tracker.position < position)) tracker.position = position;
}
