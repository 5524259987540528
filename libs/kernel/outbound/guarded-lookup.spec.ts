import { describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { isPublicAddress } from './addresses.js';
import { guardedLookup, type ResolveHostName } from './guarded-lookup.js';

const PUBLIC: LookupAddress = { address: '8.8.8.8', family: 4 };
const PUBLIC_6: LookupAddress = { address: '2001:4860:4860::8888', family: 6 };
const PRIVATE: LookupAddress = { address: '127.0.0.1', family: 4 };

/** A name server that gives these answers, one after the other. */
const answering = (...answers: (LookupAddress[] | Error)[]): ResolveHostName => {
  return (_hostname, _options, callback) => {
    const answer = answers.shift()!;
    if (answer instanceof Error) callback(answer, []);
    else callback(null, answer);
  };
};

/** Resolves to the result that a socket gets from the lookup. */
const told = (lookup: ReturnType<typeof guardedLookup>, options: { all?: boolean } = { all: true }) =>
  new Promise((resolve) => {
    lookup('hooks.example', options, (error, address) => resolve(error?.message ?? address));
  });

describe('the lookup of a socket', () => {
  it('is checked each time, so a name that was public is refused when it becomes private', async () => {
    const lookup = guardedLookup(isPublicAddress, answering([PUBLIC], [PRIVATE]));
    expect(await told(lookup)).toEqual([PUBLIC]);
    expect(await told(lookup)).toMatch('"hooks.example" has no address to which a request may be sent');
  });

  it('omits forbidden addresses', async () => {
    const lookup = guardedLookup(isPublicAddress, answering([PRIVATE, PUBLIC, PRIVATE, PUBLIC_6]));
    expect(await told(lookup)).toEqual([PUBLIC, PUBLIC_6]);
  });

  it('gives one address to a socket that wants one', async () => {
    const lookup = guardedLookup(isPublicAddress, answering([PRIVATE, PUBLIC]));
    expect(await told(lookup, {})).toBe(PUBLIC.address);
  });

  it('reports that a name does not resolve', async () => {
    const lookup = guardedLookup(
      isPublicAddress,
      answering(new Error('getaddrinfo ENOTFOUND hooks.example')),
    );
    expect(await told(lookup)).toBe('getaddrinfo ENOTFOUND hooks.example');
  });
});
