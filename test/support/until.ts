import { setTimeout as pause } from 'node:timers/promises';

/** More milliseconds than anything takes that a test waits for on a slow machine. */
const MAX_MILLIS = 300_000;
const PAUSE_MILLIS = 20;

/**
 * Asks again and again until an answer is the one that is waited for, and resolves to that answer. The pause between two questions leaves the
 * processor to what is waited for, and to the specs beside.
 */
export async function until<Answer>(
  ask: () => PromiseLike<Answer>,
  isAwaited: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = performance.now() + MAX_MILLIS;
  for (;;) {
    const answer = await ask();
    if (isAwaited(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(
        `Does not come about: ${isAwaited.toString()}; the last answer: ${JSON.stringify(answer)}`,
      );
    await pause(PAUSE_MILLIS);
  }
}
