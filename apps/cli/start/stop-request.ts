import { whenParentIsGone } from '#libs/kernel/runtime';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Ctrl-C reaches us twice, from the terminal and through npm; only a later one is a second wish.
const sameWishMillis = 1_000;

/** Somebody's wish that this process end. */
export interface StopRequest {
  /** Aborted at the first wish, which is its reason: the name of a signal, or `disconnect` when who started us is gone. */
  signal: AbortSignal;
  /** Resolves at the first wish. */
  made: Promise<void>;
}

/**
 * Listens for the wish to stop from here on. A second one, a while after the first, calls `onImpatience`.
 */
export function listenForStop(onImpatience: () => void): StopRequest {
  const controller = new AbortController();
  const made = new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  let first: number | undefined;
  const ask = (wish: NodeJS.Signals | 'disconnect') => {
    first ??= performance.now();
    if (controller.signal.aborted && performance.now() - first > sameWishMillis) onImpatience();
    controller.abort(wish);
  };
  for (const signal of signals) process.on(signal, ask);
  whenParentIsGone(() => ask('disconnect'));
  // Listening for the end of the channel must not be what keeps us running.
  process.channel?.unref();
  return { signal: controller.signal, made };
}
