import { describe, expect, it } from '@jest/globals';
import { concurrently } from './concurrently.js';

async function* numbers(count: number) {
  for (let n = 0; n < count; n++) yield n;
}

describe('concurrently', () => {
  it('does every item once, never more than the limit at a time, and takes the next as one is done', async () => {
    const releases: (() => void)[] = [];
    const started: number[] = [];
    const finished = concurrently(numbers(5), 2, async (item) => {
      started.push(item);
      await new Promise<void>((resolve) => releases.push(resolve));
    });
    for (let done = 0; done < 5; done++) {
      while (releases.length === 0) await Promise.resolve();
      expect(started.length).toBeLessThanOrEqual(done + 2);
      releases.shift()!();
    }
    await finished;
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('rejects if an item does', async () => {
    const work = concurrently(numbers(3), 2, async (item) => {
      if (item === 1) throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
  });
});
