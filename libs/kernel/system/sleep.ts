import { setTimeout as delay } from 'node:timers/promises';

/** Waits for this time, or until `signal` is aborted. Never rejects, so a loop must check the signal itself. */
export async function sleep(millis: number, signal: AbortSignal): Promise<void> {
  await delay(millis, undefined, { signal }).catch(() => undefined);
}
