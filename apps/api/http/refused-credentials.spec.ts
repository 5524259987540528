import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RefusedCredentials } from './refused-credentials.js';

describe('refused credentials', () => {
  let seconds: bigint;
  beforeEach(() => {
    seconds = 100n;
    jest.spyOn(process.hrtime, 'bigint').mockImplementation(() => seconds * 1_000_000_000n);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hold up their address for the rest of the second', () => {
    const refused = new RefusedCredentials(2);
    refused.note('a', 'guess 1');
    expect(refused.isOver('a', 'guess 2')).toBe(false);
    refused.note('a', 'guess 2');
    expect(refused.isOver('a', 'guess 3')).toBe(true);
    expect(refused.isOver('b', 'guess 3')).toBe(false);
    seconds++;
    expect(refused.isOver('a', 'guess 3')).toBe(false);
  });

  it('do not hold up a credential that was good, until it is refused itself', () => {
    const refused = new RefusedCredentials(1);
    refused.noteGood('key');
    refused.note('a', 'guess');
    expect(refused.isOver('a', 'key')).toBe(false);
    refused.note('a', 'key');
    expect(refused.isOver('a', 'key')).toBe(true);
  });
});
