import { describe, expect, it } from '@jest/globals';
import { preferringLeader } from './leader-client.js';

describe('the address of the event store', () => {
  it.each([
    ['esdb://node:2113?tls=false', 'esdb://node:2113?tls=false&nodePreference=leader'],
    ['esdb://user:secret@node:2113', 'esdb://user:secret@node:2113?nodePreference=leader'],
    [
      'esdb+discover://cluster:2113/?nodePreference=follower&tls=true',
      'esdb+discover://cluster:2113/?tls=true&nodePreference=leader',
    ],
    ['esdb://a:2113,b:2113?NodePreference=random', 'esdb://a:2113,b:2113?nodePreference=leader'],
  ])('%s prefers the leader', (url, expected) => expect(preferringLeader(url)).toBe(expected));
});
