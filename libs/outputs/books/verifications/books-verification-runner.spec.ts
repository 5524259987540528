import { describe, expect, it, jest } from '@jest/globals';
import type { EventFeed } from '#libs/kernel/event-store';
import type { BooksVerification, LedgerDifference } from './books-verification.js';
import { BooksVerificationRunner } from './books-verification-runner.js';
import type { BooksVerificationStore } from './books-verification-store.js';
import type { BooksVerifier, LedgerVerification } from './books-verifier.js';

const complete = jest.fn<BooksVerificationStore['complete']>();
const RUN = { id: 'bvr_1', run: 1 };
const VERIFICATION = { id: 'bvr_1', workspaceId: 'acc_1' } as BooksVerification;

/** A runner that begins when the log ends at position 9. */
function runnerOf(verify: BooksVerifier['verify']): BooksVerificationRunner {
  complete.mockReset();
  return new BooksVerificationRunner(
    { begin: () => Promise.resolve(RUN), complete } as unknown as BooksVerificationStore,
    { verify },
    { readHead: () => Promise.resolve(9n) } as unknown as EventFeed,
  );
}

describe('a verification of the books that runs', () => {
  it('stores the first differences, the number of all, and the position up to which the log was read', async () => {
    const difference: LedgerDifference = { position: undefined, subject: 'invoice', problem: 'missing' };
    const runner = runnerOf((_, observer) => {
      for (let found = 0; found < 1_001; found++) observer.find(difference);
      return Promise.resolve({
        head: 12n,
        readModelPosition: 11n,
        differenceCount: 1_001,
      } as LedgerVerification);
    });
    await runner.verify(VERIFICATION);
    expect(complete).toHaveBeenCalledTimes(1);
    const [run, result] = complete.mock.calls[0]!;
    expect(run).toBe(RUN);
    expect(result).toMatchObject({ position: '12', comparedUpTo: '11', differenceCount: 1_001 });
    expect(result.differences).toHaveLength(1_000);
    expect(result.differences[0]).toEqual({ position: null, subject: 'invoice', problem: 'missing' });
  });

  it('ends when the process is shut down, and is not taken for done', async () => {
    const runner = runnerOf((_workspaceId, _observer, signal) => {
      runner.onModuleDestroy();
      return Promise.reject(signal.reason as Error);
    });
    await expect(runner.verify(VERIFICATION)).rejects.toThrow('aborted');
    expect(complete).not.toHaveBeenCalled();
  });
});
