import { describe, expect, it } from '@jest/globals';
import { CoalescedRead, CoalescedReads } from './coalesced-read.js';

// How calls gather is tested with BatchedReads.

describe('CoalescedRead', () => {
  it('lets all who ask at once share one read, and reads again for the next', async () => {
    let reads = 0;
    const reading = new CoalescedRead(() => Promise.resolve(++reads));
    expect(await Promise.all([reading.read(), reading.read()])).toEqual([1, 1]);
    expect(await reading.read()).toBe(2);
  });
});

describe('CoalescedReads', () => {
  it('shares by key, and keeps nothing once nobody asks', async () => {
    const readings = new CoalescedReads<string>();
    const taken: string[] = [];
    const read = (key: string) =>
      readings.read(key, () => {
        taken.push(key);
        return Promise.resolve(key.toUpperCase());
      });
    expect(await Promise.all([read('a'), read('a'), read('b'), read('a')])).toEqual(['A', 'A', 'B', 'A']);
    expect(taken).toEqual(['a', 'b']);
    expect(readings.size).toBe(0);
  });
});
