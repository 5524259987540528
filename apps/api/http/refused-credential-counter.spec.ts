import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RefusedCredentialCounter } from './refused-credential-counter.js';

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
    const refused = new RefusedCredentialCounter(2);
    refused.countRefused('a', 'guess 1');
    expect(refused.hasReachedLimit('a', 'guess 2')).toBe(false);
    refused.countRefused('a', 'guess 2');
    expect(refused.hasReachedLimit('a', 'guess 3')).toBe(true);
    expect(refused.hasReachedLimit('b', 'guess 3')).toBe(false);
    seconds++;
    expect(refused.hasReachedLimit('a', 'guess 3')).toBe(false);
  });

  it('do not hold up a credential that was good, until it is refused itself', () => {
    const refused = new RefusedCredentialCounter(1);
    refused.rememberValid('key');
    refused.countRefused('a', 'guess');
    expect(refused.hasReachedLimit('a', 'key')).toBe(false);
    refused.countRefused('a', 'key');
    expect(refused.hasReachedLimit('a', 'key')).toBe(true);
  });
});
