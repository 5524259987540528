import { describe, expect, it } from '@jest/globals';
import { repeatWork } from './repeat.js';

const fail = (error: Error): void => {
  throw error;
};

describe('repeated work', () => {
  it('is done again after each pause, until it is told to stop', async () => {
    const abort = new AbortController();
    let times = 0;
    const work = async (): Promise<void> => {
      if (++times === 3) abort.abort();
    };
    await repeatWork(abort.signal, 1, work, fail);
    expect(times).toBe(3);
  });

  it('is tried again after a failure, which is told', async () => {
    const abort = new AbortController();
    const failures: string[] = [];
    let times = 0;
    const work = async (): Promise<void> => {
      if (++times === 1) throw new Error('the database is away');
      abort.abort();
    };
    await repeatWork(abort.signal, 1, work, ({ message }) => failures.push(message));
    expect([times, failures]).toEqual([2, ['the database is away']]);
  });

  it('ends in its pause', async () => {
    const abort = new AbortController();
    const done = Promise.withResolvers<void>();
    const repeated = repeatWork(abort.signal, 60_000, async () => done.resolve(), fail);
    await done.promise;
    abort.abort();
    await expect(repeated).resolves.toBeUndefined();
  });

  it('does not begin if it was told to stop before', async () => {
    const work = (): Promise<void> => Promise.reject(new Error('must not run'));
    await expect(repeatWork(AbortSignal.abort(), 1, work, fail)).resolves.toBeUndefined();
  });
});
