import { describe, expect, it, jest } from '@jest/globals';
import { CardEntryLimit } from './card-entry-limit.js';

/** Sets the time that has passed since the process started, in seconds. */
function setSeconds(seconds: number): void {
  jest.spyOn(process.hrtime, 'bigint').mockReturnValue(BigInt(seconds) * 1_000_000_000n);
}

describe('the limit of cards by a link', () => {
  it('takes ten in ten minutes, and counts each link by itself', () => {
    const limit = new CardEntryLimit();
    setSeconds(1_000);
    for (let card = 0; card < 10; card += 1) limit.count('a');
    setSeconds(1_100);
    expect(() => limit.count('a')).toThrow(
      expect.objectContaining({ status: 429, code: 'too_many_cards', retryAfterSeconds: 500 }),
    );
    limit.count('b');
    setSeconds(1_601);
    limit.count('a');
  });
});
