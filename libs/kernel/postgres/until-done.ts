import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '#libs/kernel/postgres';

const FIRST_PAUSE_MILLIS = 100;
const MAX_PAUSE_MILLIS = 5_000;

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
      const pause = Math.min(FIRST_PAUSE_MILLIS * 2 ** attempt, MAX_PAUSE_MILLIS);
      await delay(pause, undefined, { signal });
    }
  }
}
