import { describe, expect, it } from '@jest/globals';
import { KeyedConcurrencyLimits, ConcurrencyLimit } from './concurrency-limit.js';

const refusal = (): Error => new Error('too many');

/** Work that records its start, and ends when the test says so. */
function work(begun: string[], name: string) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const run = async (): Promise<string> => {
    begun.push(name);
    arrived.resolve();
    await released.promise;
    return name;
  };
  return { run, arrived: arrived.promise, end: () => released.resolve() };
}

describe('slots', () => {
  it('are given to who has waited longest, also after work that failed', async () => {
    const slots = new ConcurrencyLimit({ maxRunning: 1, createRefusal: refusal });
    const begun: string[] = [];
    const [first, second, third] = ['first', 'second', 'third'].map((name) => work(begun, name));
    const failing = slots.run(async () => {
      await first!.run();
      throw new Error('went wrong');
    });
    const others = [slots.run(second!.run), slots.run(third!.run)];
    await first!.arrived;
    expect(begun).toEqual(['first']);
    first!.end();
    await expect(failing).rejects.toThrow('went wrong');
    second!.end();
    third!.end();
    expect(await Promise.all(others)).toEqual(['second', 'third']);
    expect(begun).toEqual(['first', 'second', 'third']);
    expect(slots.isIdle).toBe(true);
  });

  it('refuse who comes when too many wait, and who has waited for too long', async () => {
    const begun: string[] = [];
    const first = work(begun, 'first');
    const slots = new ConcurrencyLimit({
      maxRunning: 1,
      maxWaiting: 1,
      waitMillis: 1,
      createRefusal: refusal,
    });
    const running = slots.run(first.run);
    const waiting = slots.run(work(begun, 'second').run);
    await expect(slots.run(work(begun, 'third').run)).rejects.toThrow('too many');
    await expect(waiting).rejects.toThrow('too many');
    first.end();
    await running;
    expect(begun).toEqual(['first']);
    expect(slots.isIdle).toBe(true);
  });

  it('of one key leave those of another alone', async () => {
    const slots = new KeyedConcurrencyLimits({ maxRunning: 1, createRefusal: refusal });
    const begun: string[] = [];
    const [first, second] = [work(begun, 'first of a'), work(begun, 'second of a')];
    const ofA = [slots.run('a', first.run), slots.run('a', second.run)];
    expect(await slots.run('b', () => Promise.resolve('b'))).toBe('b');
    await first.arrived;
    expect(begun).toEqual(['first of a']);
    first.end();
    second.end();
    expect(await Promise.all(ofA)).toEqual(['first of a', 'second of a']);
  });
});
