import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { BatchedReads } from './batched-reads.js';

/** A read that waits until it is finished, and sees the state of its beginning. */
function heldReads(maxKeys = 100) {
  const reads: { scope: string; keys: readonly string[]; finish(error?: Error): void }[] = [];
  const state = { value: 0 };
  const batched = new BatchedReads<string, string>(
    (scope, keys) => {
      const seen = state.value;
      return new Promise((resolve, reject) => {
        const finish = (error?: Error) =>
          error ? reject(error) : resolve(keys.map((key) => `${scope}.${key}.${seen}`));
        reads.push({ scope, keys, finish });
      });
    },
    { maxKeys },
  );
  const begun = async (count: number) => {
    while (reads.length < count) await setImmediate();
  };
  return { reads, state, batched, begun };
}

describe('BatchedReads', () => {
  it('takes the keys of all who ask during a read together, in a read that begins after they asked', async () => {
    const { reads, state, batched, begun } = heldReads();
    const first = batched.read('ws', 'a');
    await begun(1);
    const others = [batched.read('ws', 'b'), batched.read('ws', 'a'), batched.read('ws', 'c')];
    expect(reads.map(({ keys }) => keys)).toEqual([['a']]);
    state.value = 1;
    reads[0]!.finish();
    expect(await first).toBe('ws.a.0');
    await begun(2);
    expect(reads[1]!.keys).toEqual(['b', 'a', 'c']);
    state.value = 2;
    reads[1]!.finish();
    expect(await Promise.all(others)).toEqual(['ws.b.1', 'ws.a.1', 'ws.c.1']);
    expect(batched.size).toBe(0);
  });

  it('lets no scope wait for another, and takes so many keys at most', async () => {
    const { reads, batched, begun } = heldReads(2);
    const one = batched.read('one', 'a');
    const two = ['a', 'b', 'c'].map((key) => batched.read('two', key));
    await begun(2);
    expect(reads.map(({ scope }) => scope)).toEqual(['one', 'two']);
    two.push(batched.read('two', 'd'));
    reads[1]!.finish();
    await begun(3);
    expect(reads.slice(1).map(({ keys }) => keys)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    reads[2]!.finish();
    expect(await Promise.all(two)).toEqual(['two.a.0', 'two.b.0', 'two.c.0', 'two.d.0']);
    reads[0]!.finish();
    expect(await one).toBe('one.a.0');
  });

  it('gives an error to the callers of that read alone', async () => {
    const { reads, batched, begun } = heldReads();
    const first = batched.read('ws', 'a');
    await begun(1);
    const second = batched.read('ws', 'b');
    reads[0]!.finish(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await begun(2);
    reads[1]!.finish();
    expect(await second).toBe('ws.b.0');
    expect(batched.size).toBe(0);
  });
});
