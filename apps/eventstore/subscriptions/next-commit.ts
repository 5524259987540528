import type { Tail } from './tail.js';

/** Resolves at the next commit, or when the signal `gone` is aborted. */
export function waitForNextCommit(tail: Tail, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      stopListening();
      gone.removeEventListener('abort', wake);
      resolve();
    };
    const stopListening = tail.listen(wake);
    gone.addEventListener('abort', wake, { once: true });
  });
}
