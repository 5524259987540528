import { expect, it } from '@jest/globals';
import { monotonicSeconds } from './clock.js';
import { Backoff } from './backoff.js';

it('is over after its time, and not before', async () => {
  expect(new Backoff(0).isOver).toBe(true);
  const patience = new Backoff(20);
  expect(patience.isOver).toBe(false);
  while (!patience.isOver) await patience.wait({ firstMillis: 1, maxMillis: 4 });
  expect(patience.isOver).toBe(true);
});

it('waits twice as long each time, up to the maximum, and at least half of that', async () => {
  const patience = new Backoff(1_000);
  for (const millis of [10, 20, 40, 40]) {
    const began = monotonicSeconds();
    await patience.wait({ firstMillis: 10, maxMillis: 40 });
    // A timer may fire up to a millisecond early.
    expect((monotonicSeconds() - began) * 1_000).toBeGreaterThanOrEqual(millis / 2 - 1);
  }
});
