import { describe, expect, it } from '@jest/globals';
import { AttemptSkipper } from './attempt-skipper.js';

/** Fails so many attempts, and returns how many were left out after each. */
function leftOut(pause: AttemptSkipper, failures: number): number[] {
  return Array.from({ length: failures }, () => {
    pause.recordFailure();
    let count = 0;
    while (pause.shouldSkipAttempt()) count++;
    return count;
  });
}

describe('a growing pause', () => {
  it('leaves out twice as many attempts after each failure, up to 64', () => {
    expect(leftOut(new AttemptSkipper(), 9)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 64]);
  });

  it('begins again after a success', () => {
    const pause = new AttemptSkipper();
    leftOut(pause, 5);
    pause.recordSuccess();
    expect(pause.shouldSkipAttempt()).toBe(false);
    expect(leftOut(pause, 3)).toEqual([0, 1, 2]);
  });
});
