import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '#libs/kernel/domain';

/** Notes how far one request has written, so that its answer can wait for the read models. */
export interface WriteTracker {
  position: Position | undefined;
}

const storage = new AsyncLocalStorage<WriteTracker>();

/** Runs `work` with a tracker of its own. */
export function trackWrites<T>(work: (tracker: WriteTracker) => T): T {
  const tracker: WriteTracker = { position: undefined };
  return storage.run(tracker, () => work(tracker));
}

/** Called after each append. */
export function noteWrite(position: Position): void {
  const tracker = storage.getStore();
  if (tracker && (tracker.position === undefined || tracker.position < position)) tracker.position = position;
}
