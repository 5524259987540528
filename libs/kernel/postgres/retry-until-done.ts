import { setTimeout as delay } from 'node:timers/promises';
import { backoffMillis } from '#libs/kernel/system';
import { isTransient } from './transient.js';

const RETRY = { firstMillis: 100, maxMillis: 5_000 };

/**
 * Repeats work until it succeeds. An attempt that fails must have changed nothing, because the work is then repeated. The repetition stops
 * if `mayPass` returns false because the failure is permanent, or if `signal` is aborted. `failed` is called after each failed attempt that
 * is followed by another attempt.
 */
export async function retryUntilDone<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  failed: (error: Error, attempt: number) => void = () => undefined,
  mayPass: (error: unknown) => boolean = isTransient,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || signal.aborted) throw error;
      failed(error as Error, attempt);
      await delay(backoffMillis(attempt, RETRY), undefined, { signal });
    }
  }
}
