import { onParentExit } from '#libs/kernel/runtime';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// One Ctrl-C arrives twice, from the terminal and through npm. Only a later signal is a second request.
const sameRequestMillis = 1_000;

/** A request to stop this process. */
export interface StopRequest {
  /** Aborted at the first request. The reason is the name of a signal, or `disconnect` when the parent process has ended. */
  signal: AbortSignal;
  /** Resolves at the first request. */
  firstRequest: Promise<void>;
}

/**
 * Starts to listen for requests to stop. A second request, at least a second after the first, calls `onImpatience`.
 */
export function listenForStop(onImpatience: () => void): StopRequest {
  const controller = new AbortController();
  const made = new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  let first: number | undefined;
  const ask = (wish: NodeJS.Signals | 'disconnect') => {
    first ??= performance.now();
    if (controller.signal.aborted && performance.now() - first > sameRequestMillis) onImpatience();
    controller.abort(wish);
  };
  for (const signal of signals) process.on(signal, ask);
  onParentExit(() => ask('disconnect'));
  // Listening for the end of the IPC channel must not keep this process running.
  process.channel?.unref();
  return { signal: controller.signal, firstRequest: made };
}
