import { setTimeout as delay } from 'node:timers/promises';
import { backoffMillis } from '#libs/kernel/system';
import { isTransient } from './transient.js';

const RETRY = { firstMillis: 100, maxMillis: 5_000 };

/**
 * Does work that changes nothing when it fails, again and again for as long as the reason may pass (`mayPass`) and `signal`
 * is not aborted. `failed` hears of each failure that is followed by another try.
 */
export async function untilDone<T>(
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
