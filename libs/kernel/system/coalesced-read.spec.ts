import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CoalescedRead, CoalescedReads } from './coalesced-read.js';

describe('CoalescedRead', () => {
  it('lets those who ask during a reading share the next, which begins after they asked', async () => {
    const finish: (() => void)[] = [];
    let value = 0;
    const reading = new CoalescedRead(async () => {
      const seen = value;
      await new Promise<void>((resolve) => finish.push(resolve));
      return seen;
    });
    const first = reading.read();
    value = 1;
    const [second, third] = [reading.read(), reading.read()];
    expect(finish).toHaveLength(1);
    finish[0]!();
    expect(await first).toBe(0);
    while (finish.length < 2) await setImmediate();
    value = 2;
    finish[1]!();
    expect(await Promise.all([second, third])).toEqual([1, 1]);
  });

  it('begins anew after one that failed', async () => {
    let calls = 0;
    const reading = new CoalescedRead(() =>
      ++calls === 1 ? Promise.reject(new Error('away')) : Promise.resolve(calls),
    );
    const [first, second] = [reading.read(), reading.read()];
    await expect(first).rejects.toThrow('away');
    expect(await second).toBe(2);
  });
});

describe('CoalescedReads', () => {
  it('shares by key, and keeps nothing once nobody asks', async () => {
    const readings = new CoalescedReads<string>();
    const taken: string[] = [];
    const read = (key: string) =>
      readings.read(key, async () => {
        taken.push(key);
        await Promise.resolve();
        return key.toUpperCase();
      });
    expect(await Promise.all([read('a'), read('a'), read('b'), read('a')])).toEqual(['A', 'A', 'B', 'A']);
    expect(taken).toEqual(['a', 'b', 'a']);
    expect(readings.size).toBe(0);
  });
});
