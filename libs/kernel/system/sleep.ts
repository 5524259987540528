import { setTimeout as delay } from 'node:timers/promises';

/** Waits for so long, or until `signal` is aborted. Never rejects, so a loop checks the signal itself. */
export async function sleep(millis: number, signal: AbortSignal): Promise<void> {
  await delay(millis, undefined, { signal }).catch(() => undefined);
}
