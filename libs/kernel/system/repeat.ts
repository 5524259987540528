import { sleep } from './sleep.js';

/**
 * Repeats work until `signal` is aborted, with a pause of `pauseMillis` after each time. The function never rejects: after a failure it
 * calls `failed`, and tries the work again after the pause.
 */
export async function repeatWork(
  signal: AbortSignal,
  pauseMillis: number,
  work: () => Promise<void>,
  failed: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      failed(error as Error);
    }
    await sleep(pauseMillis, signal);
  }
}
