import { describe, expect, it } from '@jest/globals';
import { WakeUp } from './wake-up.js';

describe('a sleep', () => {
  it('ends when it is told, long before its time', async () => {
    const wakeUp = new WakeUp();
    const sleep = wakeUp.sleep(60_000);
    wakeUp.wake();
    expect(await sleep).toBe(true);
  });

  it('does not begin if `wake` was called after the loop looked', async () => {
    const wakeUp = new WakeUp();
    wakeUp.wake();
    expect(await wakeUp.sleep()).toBe(true);
  });

  it('ignores calls of `wake` before the loop looked', async () => {
    const wakeUp = new WakeUp();
    wakeUp.wake();
    wakeUp.clear();
    expect(await wakeUp.sleep(1)).toBe(false);
    expect(await wakeUp.sleep(0)).toBe(false);
  });
});
